import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { TritonError } from '../errors.ts'
import { inLanes } from '../util/in-lanes.ts'
import { fingerprint, isVolumeEntry } from './fingerprint.ts'
import type { RepositorySource, SourceModel } from './repository-source.ts'

/** A directory of models on this machine. Links are followed, also out of it. */
export class LocalSource implements RepositorySource {
  readonly path: string
  readonly #root: string

  constructor(path: string) {
    this.path = path
    this.#root = resolve(path)
  }

  async models(): Promise<string[]> {
    const names = await subdirectories(this.#root).catch((cause: unknown) => this.#fail(cause))
    return names.filter((name) => !isVolumeEntry(name))
  }

  async look(model: string): Promise<SourceModel | undefined> {
    const directory = join(this.#root, model)
    try {
      return await readModel(directory)
    } catch (cause) {
      if (isAbsence(cause)) {
        // A repository that is gone for the moment is not one without models.
        if (!(await isDirectory(this.#root))) this.#fail(cause)
        return undefined
      }
      return (await this.models()).includes(model) ? unreadableModel(directory, cause) : undefined
    }
  }

  async lookAll(signal?: AbortSignal): Promise<ReadonlyMap<string, SourceModel>> {
    const found = new Map<string, SourceModel>()
    const names = await this.models()
    await inLanes(names, 16, async (name) => {
      signal?.throwIfAborted()
      const directory = join(this.#root, name)
      const model = await readModel(directory).catch((cause: unknown) =>
        isAbsence(cause) ? undefined : unreadableModel(directory, cause),
      )
      if (model !== undefined) found.set(name, model)
    })
    // What is not there any more has gone with the whole repository, perhaps.
    if (found.size < names.length && !(await isDirectory(this.#root))) this.#fail(undefined)
    return found
  }

  #fail(cause: unknown): never {
    throw new TritonError('INTERNAL', `repository path is not a valid directory: '${this.path}'`, { cause })
  }
}

async function readModel(directory: string): Promise<SourceModel> {
  const current = await fingerprint(directory)
  return { fingerprint: current, open: async () => ({ directory, dispose: async () => {} }) }
}

/** One that is there, so that what serves is not taken for gone; it says why it cannot be read when it is opened. */
function unreadableModel(directory: string, cause: unknown): SourceModel {
  const { code, message } = cause as NodeJS.ErrnoException
  const error = new TritonError('INTERNAL', `failed to read model directory ${directory}: ${message}`, { cause })
  return { fingerprint: new Map([['.', `${code}`]]), open: () => Promise.reject(error) }
}

/** Names of the directories in `path`, links to directories included, sorted. */
export async function subdirectories(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  const names: string[] = []
  for (const entry of entries) {
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(join(path, entry.name)))))
      names.push(entry.name)
  }
  return names.sort()
}

/** Also where a link leads to what cannot be read now, on a drive that does not answer for instance. */
export const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => !isAbsence(error),
  )

const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String((error as NodeJS.ErrnoException).code))

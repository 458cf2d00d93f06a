import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { TritonError } from '../errors.ts'
import { inLanes } from '../util/in-lanes.ts'
import { fingerprint } from './fingerprint.ts'
import type { RepositorySource, SourceModel } from './repository-source.ts'

/** A directory of models on this machine. */
export class LocalSource implements RepositorySource {
  readonly path: string
  readonly #root: string

  constructor(path: string) {
    this.path = path
    this.#root = resolve(path)
  }

  async models(): Promise<string[]> {
    return subdirectories(this.#root).catch((cause: unknown) => {
      throw new TritonError('INTERNAL', `repository path is not a valid directory: '${this.path}'`, { cause })
    })
  }

  async look(model: string): Promise<SourceModel | undefined> {
    const directory = join(this.#root, model)
    if (await isDirectory(directory)) return this.#model(directory)
    // A repository that is gone for the moment is not one without models.
    await this.models()
    return undefined
  }

  async lookAll(): Promise<ReadonlyMap<string, SourceModel>> {
    const found = new Map<string, SourceModel>()
    await inLanes(await this.models(), 16, async (name) => {
      const model = await this.#model(join(this.#root, name)).catch(() => undefined)
      if (model !== undefined) found.set(name, model)
    })
    return found
  }

  async #model(directory: string): Promise<SourceModel> {
    const current = await fingerprint(directory)
    return { fingerprint: current, open: async () => ({ directory, dispose: async () => {} }) }
  }
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

export const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

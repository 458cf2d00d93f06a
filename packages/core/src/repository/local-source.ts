import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { TritonError } from '../errors.ts'
import type { RepositorySource } from './repository-source.ts'

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

  async directory(model: string): Promise<string | undefined> {
    const directory = join(this.#root, model)
    return (await isDirectory(directory)) ? directory : undefined
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

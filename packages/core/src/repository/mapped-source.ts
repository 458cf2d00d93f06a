import type { RepositorySource, SourceModel } from './repository-source.ts'

/** A source in which some directories have another name. Such a directory is not reachable under its own. */
export class MappedSource implements RepositorySource {
  readonly path: string
  readonly #source: RepositorySource
  /** Directories by the name of the model. */
  readonly #directories: ReadonlyMap<string, string>
  readonly #hidden: ReadonlySet<string>

  constructor(source: RepositorySource, directories: ReadonlyMap<string, string>) {
    this.path = source.path
    this.#source = source
    this.#directories = directories
    this.#hidden = new Set(directories.values())
  }

  async models(signal?: AbortSignal): Promise<string[]> {
    const present = await this.#source.models(signal)
    const mapped = [...this.#directories].filter(([, directory]) => present.includes(directory)).map(([name]) => name)
    const others = present.filter((name) => !this.#hidden.has(name) && !this.#directories.has(name))
    return [...others, ...mapped].sort()
  }

  async look(model: string, signal?: AbortSignal): Promise<SourceModel | undefined> {
    const directory = this.#directories.get(model)
    if (directory !== undefined) return this.#source.look(directory, signal)
    return this.#hidden.has(model) ? undefined : this.#source.look(model, signal)
  }

  async lookAll(signal?: AbortSignal): Promise<ReadonlyMap<string, SourceModel>> {
    const present = await this.#source.lookAll(signal)
    const all = new Map(present)
    for (const directory of this.#hidden) all.delete(directory)
    for (const [name, directory] of this.#directories) {
      const model = present.get(directory)
      if (model === undefined) all.delete(name)
      else all.set(name, model)
    }
    return all
  }

  async dispose(): Promise<void> {
    await this.#source.dispose?.()
  }
}

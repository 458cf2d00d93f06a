import type { RepositorySource } from './repository-source.ts'

/** Where a model lies; a name in two sources lies nowhere, since nobody can tell which is meant. */
export type ModelPlace = { readonly directory: string } | 'duplicate' | undefined

/** All sources of a Server seen as one set of models. */
export class ModelRepository {
  readonly #sources: readonly RepositorySource[]

  constructor(sources: readonly RepositorySource[]) {
    this.#sources = sources
  }

  /** Names of all models, sorted, read afresh. */
  async names(): Promise<string[]> {
    const lists = await Promise.all(this.#sources.map((source) => source.models()))
    return [...new Set(lists.flat())].sort()
  }

  async find(model: string): Promise<ModelPlace> {
    const found = await Promise.all(this.#sources.map((source) => source.directory(model)))
    const directories = found.filter((directory) => directory !== undefined)
    if (directories.length > 1) return 'duplicate'
    return directories[0] === undefined ? undefined : { directory: directories[0] }
  }
}

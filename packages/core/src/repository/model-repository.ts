import type { ModelClass, ModelCode } from '../code-model/model-code.ts'
import type { RepositorySource } from './repository-source.ts'

/** Models in code by name. */
export type CodeModels = ReadonlyMap<string, ModelCode | ModelClass>

/** Where a model lies; a name in two sources lies nowhere, since nobody can tell which is meant. */
export type ModelPlace =
  | { readonly directory: string }
  | { readonly code: ModelCode | ModelClass }
  | 'duplicate'
  | undefined

/** All sources of a Server, and its models in code, seen as one set of models. */
export class ModelRepository {
  readonly #sources: readonly RepositorySource[]
  readonly #code: CodeModels

  constructor(sources: readonly RepositorySource[], code: CodeModels = new Map()) {
    this.#sources = sources
    this.#code = code
  }

  /** Names of all models, sorted, read afresh. */
  async names(): Promise<string[]> {
    const lists = await Promise.all(this.#sources.map((source) => source.models()))
    return [...new Set([...this.#code.keys(), ...lists.flat()])].sort()
  }

  async find(model: string): Promise<ModelPlace> {
    const found = await Promise.all(this.#sources.map((source) => source.directory(model)))
    const directories = found.filter((directory) => directory !== undefined)
    const code = this.#code.get(model)
    if (directories.length + (code === undefined ? 0 : 1) > 1) return 'duplicate'
    if (code !== undefined) return { code }
    return directories[0] === undefined ? undefined : { directory: directories[0] }
  }
}

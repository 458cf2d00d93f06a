import type { ModelClass, ModelCode } from '../code-model/model-code.ts'
import { modelId, nameIn } from './model-id.ts'
import { checkModelName } from './model-name.ts'
import type { FoundPlace, ModelPlace, RepositoryLook } from './model-place.ts'
import type { RepositorySource, SourceModel } from './repository-source.ts'
import { RepositorySources } from './repository-sources.ts'

/** Models in code by name. */
export type CodeModels = ReadonlyMap<string, ModelCode | ModelClass>

/** One line of `ModelRepository.list`. */
export interface ListedModel {
  readonly id: string
  readonly name: string
  readonly isDuplicate: boolean
}

/** All sources of a Server, and its models in code, seen as one set of models. */
export class ModelRepository {
  readonly #code: CodeModels
  readonly #sources: RepositorySources

  constructor(sources: readonly RepositorySource[], code: CodeModels = new Map(), hasNamespaces = false) {
    this.#code = code
    this.#sources = new RepositorySources(sources, hasNamespaces)
  }

  /** Whether a name may be in several sources. */
  get hasNamespaces(): boolean {
    return this.#sources.hasNamespaces
  }

  /** Every model, by id, read afresh. */
  async list(signal?: AbortSignal): Promise<ListedModel[]> {
    const models = new Map<string, ListedModel>()
    const add = (namespace: string, name: string): void => {
      const id = modelId(namespace, name)
      models.set(id, { id, name, isDuplicate: models.has(id) })
    }
    for (const name of this.#code.keys()) add('', name)
    for (const [source, names] of await this.#sources.each(
      async (source) => [source, await source.models(signal)] as const,
    )) {
      for (const name of names) if (this.#sources.mayHave(source, name)) add(this.#sources.namespaceOf(source), name)
    }
    return [...models.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /**
   * The ids that a name has, which may be an id itself. Without namespaces, and where there is none, that is the name.
   * @throws TritonError with namespaces, INVALID_ARG for what is no name, or when no repository that can be read has it.
   */
  async idsOf(name: string, signal?: AbortSignal): Promise<string[]> {
    if (!this.hasNamespaces || this.nameOf(name) !== name) return [name]
    const ids = this.#code.has(name) ? [name] : []
    const nameIn = (source: RepositorySource) => (this.#sources.mayHave(source, name) ? name : undefined)
    for (const { id } of await this.#places(nameIn, signal)) ids.push(id)
    return ids.length === 0 ? [name] : ids
  }

  /** The id of the model that one of `namespace` means by a name: that of its own namespace, or else the only one. */
  async resolve(namespace: string, name: string, signal?: AbortSignal): Promise<string> {
    const ids = await this.idsOf(name, signal)
    const own = modelId(namespace, name)
    return ids.length === 1 && !ids.includes(own) ? (ids[0] as string) : own
  }

  /** The name in an id. */
  nameOf(id: string): string {
    return this.#sources.nameOf(id)
  }

  /** @throws TritonError when it is nowhere to be found and a repository cannot be read. */
  async find(id: string, signal?: AbortSignal): Promise<FoundPlace> {
    const code = this.#code.get(id)
    const places = await this.#places((source) => {
      const name = nameIn(this.#sources.namespaceOf(source), id)
      // With namespaces an id says which source is meant, whatever was registered for the name.
      return name !== undefined && (this.hasNamespaces || this.#sources.mayHave(source, name)) ? name : undefined
    }, signal)
    if (code !== undefined) places.unshift(codePlace(id, code))
    return places.length > 1 ? 'duplicate' : places[0]
  }

  /** One look at everything; a source that cannot be read is left out. */
  async lookAll(signal: AbortSignal): Promise<RepositoryLook> {
    const models = new Map<string, ModelPlace | 'duplicate'>()
    const unreadable = new Map<string, unknown>()
    const add = (place: ModelPlace): void => {
      models.set(place.id, models.has(place.id) ? 'duplicate' : place)
    }
    for (const [name, code] of this.#code) add(codePlace(name, code))
    await this.#sources.each(async (source) => {
      try {
        for (const [name, model] of await source.lookAll(signal)) add(this.#place(source, name, model))
      } catch (error) {
        unreadable.set(source.path, error)
      }
    })
    return { models, unreadable }
  }

  /** @see RepositorySources.register */
  register(source: RepositorySource, mapping: ReadonlyMap<string, string>): Promise<void> {
    return this.#sources.register(source, mapping)
  }

  /** Forgets a source; its models stay as they are. @see RepositorySources.unregister */
  unregister(path: string): Promise<void> {
    return this.#sources.unregister(path)
  }

  dispose(): Promise<void> {
    return this.#sources.dispose()
  }

  #place(source: RepositorySource, name: string, content: SourceModel): ModelPlace {
    const namespace = this.#sources.namespaceOf(source)
    const isMapped = this.#sources.isMapped(source, name)
    return { id: modelId(namespace, name), name, namespace, repository: source.path, isMapped, content }
  }

  /**
   * The places that a model has in the sources. One that cannot be read does not stand in the way of the others.
   * @param nameIn its name in a source; undefined when it cannot be there.
   */
  async #places(nameIn: (source: RepositorySource) => string | undefined, signal?: AbortSignal): Promise<ModelPlace[]> {
    const failures: unknown[] = []
    const places = await this.#sources.each(async (source) => {
      const name = nameIn(source)
      if (name === undefined) return undefined
      checkModelName(name)
      try {
        const model = await source.look(name, signal)
        return model && this.#place(source, name, model)
      } catch (error) {
        failures.push(error)
        return undefined
      }
    })
    const found = places.filter((place) => place !== undefined)
    if (found.length === 0 && failures.length > 0) throw failures[0]
    return found
  }
}

const codePlace = (name: string, code: ModelCode | ModelClass): ModelPlace => ({
  id: name,
  name,
  namespace: '',
  repository: '',
  isMapped: false,
  content: { code },
})

import type { ModelClass, ModelCode } from '../code-model/model-code.ts'
import { TritonError } from '../errors.ts'
import { MappedSource } from './mapped-source.ts'
import { modelId, nameIn } from './model-id.ts'
import { checkModelName } from './model-name.ts'
import type { FoundPlace, ModelPlace, RepositoryLook } from './model-place.ts'
import type { RepositorySource, SourceModel } from './repository-source.ts'

/** Models in code by name. */
export type CodeModels = ReadonlyMap<string, ModelCode | ModelClass>

/** One line of `ModelRepository.list`. */
export interface ListedModel {
  readonly id: string
  readonly name: string
  readonly isDuplicate: boolean
}

/** All sources of a Server, and its models in code, seen as one set of models. It owns the sources. */
export class ModelRepository {
  readonly #code: CodeModels
  /** Whether a name may be in several sources. */
  readonly hasNamespaces: boolean
  /** By path. */
  readonly #sources = new Map<string, RepositorySource>()
  /** Directories by the name that models have instead, for each path. */
  readonly #mappings = new Map<string, ReadonlyMap<string, string>>()

  constructor(sources: readonly RepositorySource[], code: CodeModels = new Map(), hasNamespaces = false) {
    this.#code = code
    this.hasNamespaces = hasNamespaces
    for (const source of sources) this.#sources.set(source.path, source)
  }

  /** Every model, by id, read afresh. */
  async list(): Promise<ListedModel[]> {
    const models = new Map<string, ListedModel>()
    const add = (namespace: string, name: string): void => {
      const id = modelId(namespace, name)
      models.set(id, { id, name, isDuplicate: models.has(id) })
    }
    for (const name of this.#code.keys()) add('', name)
    for (const [path, names] of await this.#each((source) => source.models())) {
      for (const name of names) add(this.#namespaceOf(path), name)
    }
    return [...models.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** The ids that a name has. Without namespaces, and where there is none, that is the name. */
  async idsOf(name: string): Promise<string[]> {
    if (!this.hasNamespaces) return [name]
    const ids = this.#code.has(name) ? [name] : []
    for (const { id } of await this.#places(() => name)) ids.push(id)
    return ids.length === 0 ? [name] : ids
  }

  /** The id of the model that one of `namespace` means by a name: that of its own namespace, or else the only one. */
  async resolve(namespace: string, name: string): Promise<string> {
    const ids = await this.idsOf(name)
    const own = modelId(namespace, name)
    return ids.length === 1 && !ids.includes(own) ? (ids[0] as string) : own
  }

  /** The name in an id. */
  nameOf(id: string): string {
    if (!this.hasNamespaces) return id
    for (const path of this.#sources.keys()) {
      const name = nameIn(path, id)
      if (name !== undefined) return name
    }
    return id
  }

  /** @throws TritonError when it is nowhere to be found and a repository cannot be read. */
  async find(id: string, signal?: AbortSignal): Promise<FoundPlace> {
    const code = this.#code.get(id)
    const places = await this.#places((source) => nameIn(this.#namespaceOf(source.path), id), signal)
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
    await Promise.all(
      [...this.#sources].map(async ([path, source]) => {
        try {
          for (const [name, model] of await source.lookAll(signal)) add(this.#place(path, name, model) as ModelPlace)
        } catch (error) {
          unreadable.set(path, error)
        }
      }),
    )
    return { models, unreadable }
  }

  /**
   * Adds a source.
   * @param mapping directories by the name that their models are to have.
   * @throws TritonError INVALID_ARG when it cannot be read, ALREADY_EXISTS when it, or one of the names, is there.
   */
  async register(source: RepositorySource, mapping: ReadonlyMap<string, string>): Promise<void> {
    const { path } = source
    await source.models().catch((cause: unknown) => {
      throw new TritonError('INVALID_ARG', `failed to register '${path}', repository not found`, { cause })
    })
    if (this.#sources.has(path)) {
      throw new TritonError('ALREADY_EXISTS', `model repository '${path}' has already been registered`)
    }
    for (const name of mapping.keys()) {
      if (![...this.#mappings.values()].some((other) => other.has(name))) continue
      const text = `failed to register '${name}', there is a conflicting mapping for '${name}'`
      throw new TritonError('ALREADY_EXISTS', text)
    }
    this.#sources.set(path, mapping.size === 0 ? source : new MappedSource(source, mapping))
    this.#mappings.set(path, mapping)
  }

  /**
   * Forgets a source; its models stay as they are.
   * @throws TritonError INVALID_ARG when it is not there.
   */
  async unregister(path: string): Promise<void> {
    const source = this.#sources.get(path)
    if (source === undefined) {
      throw new TritonError('INVALID_ARG', `failed to unregister '${path}', repository not found`)
    }
    this.#sources.delete(path)
    this.#mappings.delete(path)
    await source.dispose?.()
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.dispose?.()))
  }

  #namespaceOf(path: string): string {
    return this.hasNamespaces ? path : ''
  }

  #place(path: string, name: string, content: SourceModel | undefined): ModelPlace | undefined {
    if (content === undefined) return undefined
    const namespace = this.#namespaceOf(path)
    const isMapped = this.#mappings.get(path)?.has(name) ?? false
    return { id: modelId(namespace, name), name, namespace, repository: path, isMapped, content }
  }

  /**
   * The places that a model has in the sources. One that cannot be read does not stand in the way of the others.
   * @param nameIn its name in a source; undefined when it cannot be there.
   */
  async #places(nameIn: (source: RepositorySource) => string | undefined, signal?: AbortSignal): Promise<ModelPlace[]> {
    const failures: unknown[] = []
    const places = await this.#each(async (source) => {
      const name = nameIn(source)
      if (name === undefined) return undefined
      checkModelName(name)
      try {
        return this.#place(source.path, name, await source.look(name, signal))
      } catch (error) {
        failures.push(error)
        return undefined
      }
    })
    const found = places.map(([, place]) => place).filter((place) => place !== undefined)
    if (found.length === 0 && failures.length > 0) throw failures[0]
    return found
  }

  /** Asks all sources at the same time; the answers are in the order of the sources. */
  #each<T>(ask: (source: RepositorySource) => Promise<T>): Promise<[string, T][]> {
    return Promise.all([...this.#sources].map(async ([path, source]) => [path, await ask(source)] as [string, T]))
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

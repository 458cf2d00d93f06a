import { TritonError } from '../errors.ts'
import { MappedSource } from './mapped-source.ts'
import { nameIn } from './model-id.ts'
import { checkModelName } from './model-name.ts'
import type { RepositorySource } from './repository-source.ts'

/** The sources of a Server, those of the start and those that are registered later. It owns them. */
export class RepositorySources {
  /** Whether a name may be in several sources. */
  readonly hasNamespaces: boolean
  /** By path. */
  readonly #sources = new Map<string, RepositorySource>()
  /** Paths by the names that models of a registered source have instead of their directories'. */
  readonly #mapped = new Map<string, string>()
  readonly #disposing = new AbortController()

  constructor(sources: readonly RepositorySource[], hasNamespaces: boolean) {
    this.hasNamespaces = hasNamespaces
    for (const source of sources) this.#sources.set(source.path, source)
  }

  /** Asks all sources at the same time; the answers are in the order of the sources. */
  each<T>(ask: (source: RepositorySource) => Promise<T>): Promise<T[]> {
    return Promise.all([...this.#sources.values()].map(ask))
  }

  /** The namespace of the models of a source. */
  namespaceOf({ path }: RepositorySource): string {
    return this.hasNamespaces ? path : ''
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

  /** Whether a bare name may be that of a model in a source: not in another than the one that it was registered for. */
  mayHave({ path }: RepositorySource, name: string): boolean {
    const mapped = this.#mapped.get(name)
    return mapped === undefined || mapped === path
  }

  /** Whether the directory of a model has another name. */
  isMapped({ path }: RepositorySource, name: string): boolean {
    return this.#mapped.get(name) === path
  }

  /**
   * Adds a source, and owns it whatever becomes of it.
   * @param mapping directories by the name that their models are to have. Such a name means this source alone.
   * @throws TritonError INVALID_ARG when it cannot be read, ALREADY_EXISTS when it, or one of the names, is there.
   */
  async register(source: RepositorySource, mapping: ReadonlyMap<string, string>): Promise<void> {
    const { path } = source
    try {
      await this.#checkRegistration(source, mapping)
    } catch (error) {
      await source.dispose?.()
      throw error
    }
    this.#sources.set(path, mapping.size === 0 ? source : new MappedSource(source, mapping))
    for (const name of mapping.keys()) this.#mapped.set(name, path)
  }

  /** In Triton's order. */
  async #checkRegistration(source: RepositorySource, mapping: ReadonlyMap<string, string>): Promise<void> {
    const { path } = source
    const { signal } = this.#disposing
    for (const names of mapping) for (const name of names) checkModelName(name)
    // An empty path would be the working directory.
    const isThere = path === '' ? Promise.reject(new Error('the path is empty')) : source.models(signal)
    await isThere.catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new TritonError('INVALID_ARG', `failed to register '${path}', repository not found`, { cause })
    })
    signal.throwIfAborted()
    if (this.#sources.has(path)) {
      throw new TritonError('ALREADY_EXISTS', `model repository '${path}' has already been registered`)
    }
    for (const name of mapping.keys()) {
      if (!this.#mapped.has(name)) continue
      const text = `failed to register '${name}', there is a conflicting mapping for '${name}'`
      throw new TritonError('ALREADY_EXISTS', text)
    }
  }

  /**
   * Forgets a source.
   * @throws TritonError INVALID_ARG when it is not there.
   */
  async unregister(path: string): Promise<void> {
    const source = this.#sources.get(path)
    if (source === undefined) {
      throw new TritonError('INVALID_ARG', `failed to unregister '${path}', repository not found`)
    }
    this.#sources.delete(path)
    for (const [name, mapped] of this.#mapped) if (mapped === path) this.#mapped.delete(name)
    await source.dispose?.()
  }

  /** Also gives up registrations that are under way. */
  async dispose(): Promise<void> {
    this.#disposing.abort(new TritonError('UNAVAILABLE', 'Server is stopping'))
    await this.each(async (source) => source.dispose?.())
  }
}

import { TritonError } from '../errors.ts'
import { modelId } from '../repository/model-id.ts'
import type { ModelEntry } from './model-entry.ts'

/** Which model a name means among those that somebody wants to be served. */
export class ModelNames {
  /** Whether names are told apart by repository; otherwise a name is an id. */
  readonly hasNamespaces: boolean
  /** By id. */
  readonly #entries: ReadonlyMap<string, ModelEntry>
  readonly #byName = new Map<string, Set<ModelEntry>>()

  constructor(hasNamespaces: boolean, entries: ReadonlyMap<string, ModelEntry>) {
    this.hasNamespaces = hasNamespaces
    this.#entries = entries
  }

  add(entry: ModelEntry): void {
    const named = this.#byName.get(entry.name)
    if (named === undefined) this.#byName.set(entry.name, new Set([entry]))
    else named.add(entry)
  }

  remove(entry: ModelEntry): void {
    const named = this.#byName.get(entry.name)
    named?.delete(entry)
    if (named?.size === 0) this.#byName.delete(entry.name)
  }

  /** The ids of all models that a name or an id stands for, wanted or not. */
  all(name: string): string[] {
    if (this.isId(name)) return [name]
    return [...(this.#byName.get(name) ?? [])].map(({ id }) => id)
  }

  /**
   * The id of the model that is meant by a name, which may be an id itself.
   * @param namespace of the model whose code says it, if any: a model there comes first.
   * @throws TritonError INVALID_ARG or NOT_FOUND with Triton's texts, where names are told apart by repository.
   */
  idOf(name: string, namespace?: string): string {
    if (!this.hasNamespaces || this.isId(name)) return name
    if (namespace !== undefined) {
      const own = modelId(namespace, name)
      if (this.#entries.get(own)?.isWanted) return own
    }
    const wanted = this.#wanted(name)
    if (wanted.length === 1) return wanted[0] as string
    if (wanted.length === 0) throw this.#unknown(name)
    const text =
      `There are ${wanted.length} identifiers of model '${name}' in global map, ` +
      'model namespace must be provided to resolve ambiguity.'
    throw new TritonError('INVALID_ARG', text)
  }

  /** The id of the model that a step of an ensemble runs now: that of the ensemble's namespace, or else the only one. */
  stepId(name: string, namespace: string): string {
    const own = modelId(namespace, name)
    if (!this.hasNamespaces || this.#entries.get(own)?.isWanted) return own
    const wanted = this.#wanted(name)
    return wanted.length === 1 ? (wanted[0] as string) : own
  }

  /** Whether it is the id of a known model. Not so for one without a repository, whose id is a name as any other. */
  isId(name: string): boolean {
    const entry = this.#entries.get(name)
    return entry !== undefined && entry.name !== name
  }

  #wanted(name: string): string[] {
    return [...(this.#byName.get(name) ?? [])].filter((entry) => entry.isWanted).map(({ id }) => id)
  }

  /** As in Triton, a name that was served before has another error than one that never was. */
  #unknown(name: string): TritonError {
    const wasServed = [...(this.#byName.get(name) ?? [])].some((entry) => !entry.isUnused)
    return wasServed
      ? new TritonError('NOT_FOUND', `Identifier of model '${name}' is not found in global map`)
      : new TritonError('INVALID_ARG', `Request for unknown model: '${name}' is not found`)
  }
}

import type { LoadOptions } from './poll-model.ts'

/** One load of one or several models, with all that their ensembles need. Each is loaded once, also when that fails. */
export class LoadOperation {
  /** Gives up everything that it loads. */
  readonly signal: AbortSignal
  readonly #requested: ReadonlyMap<string, LoadOptions>
  readonly #load: (id: string, operation: LoadOperation) => Promise<void>
  readonly #untouched: ReadonlySet<string>
  readonly #loads = new Map<string, Promise<void>>()

  /**
   * @param requested models by id that somebody asked for, as opposed to those that an ensemble needs.
   * @param load called once for each model.
   * @param untouched ids of models that stay as they are, also where an ensemble needs them.
   */
  constructor(
    requested: ReadonlyMap<string, LoadOptions>,
    signal: AbortSignal,
    load: (id: string, operation: LoadOperation) => Promise<void>,
    untouched: ReadonlySet<string> = new Set(),
  ) {
    this.#requested = requested
    this.signal = signal
    this.#load = load
    this.#untouched = untouched
  }

  isRequested(id: string): boolean {
    return this.#requested.has(id)
  }

  optionsOf(id: string): LoadOptions {
    return this.#requested.get(id) ?? {}
  }

  /** Loads a model, or waits for the load that has begun. */
  load(id: string): Promise<void> {
    if (this.#untouched.has(id)) return Promise.resolve()
    const begun = this.#loads.get(id)
    if (begun !== undefined) return begun
    const load = this.#load(id, this)
    this.#loads.set(id, load)
    return load
  }
}

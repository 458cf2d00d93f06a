import type { LoadOptions } from './poll-model.ts'

/** One load of one or several models, with all that their ensembles need. Each is loaded once, also when that fails. */
export class LoadOperation {
  /** Gives up everything that it loads. */
  readonly signal: AbortSignal
  readonly #requested: ReadonlyMap<string, LoadOptions>
  readonly #load: (name: string, operation: LoadOperation) => Promise<void>
  readonly #loads = new Map<string, Promise<void>>()

  /**
   * @param requested models by name that somebody asked for, as opposed to those that an ensemble needs.
   * @param load called once for each model.
   */
  constructor(
    requested: ReadonlyMap<string, LoadOptions>,
    signal: AbortSignal,
    load: (name: string, operation: LoadOperation) => Promise<void>,
  ) {
    this.#requested = requested
    this.signal = signal
    this.#load = load
  }

  isRequested(name: string): boolean {
    return this.#requested.has(name)
  }

  optionsOf(name: string): LoadOptions {
    return this.#requested.get(name) ?? {}
  }

  /** Loads a model, or waits for the load that has begun. */
  load(name: string): Promise<void> {
    const begun = this.#loads.get(name)
    if (begun !== undefined) return begun
    const load = this.#load(name, this)
    this.#loads.set(name, load)
    return load
  }
}

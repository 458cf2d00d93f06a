import { TraceSampler } from './trace-sampler.ts'
import type { TraceLevel, TraceSettings } from './trace-settings.ts'
import type { TraceCollector } from './triton-file/trace-collector.ts'

/** Settings in force, from a change to the next, with the requests that are traced by them. */
export class TraceSetting {
  readonly sampler: TraceSampler
  /** Where finished traces go; undefined where an exporter takes them. */
  readonly collector: TraceCollector | undefined
  readonly #settings: TraceSettings
  #open = 0
  #onOver: (() => void) | undefined

  constructor(settings: TraceSettings, collect?: (settings: TraceSettings, sampler: TraceSampler) => TraceCollector) {
    this.#settings = settings
    this.sampler = new TraceSampler(settings)
    this.collector = collect?.(settings, this.sampler)
  }

  get level(): readonly TraceLevel[] {
    return this.#settings.level
  }

  /** With the count of traces that are still to be made. */
  get settings(): TraceSettings {
    return { ...this.#settings, count: this.sampler.remaining }
  }

  /** A trace begins. */
  opened(): void {
    this.#open++
  }

  /** A trace is complete. */
  closed(): void {
    this.#open--
    this.#endIfOver()
  }

  /** Other settings hold from now on. @param onOver hears when the last trace by these is complete. */
  replaced(onOver: () => void): void {
    this.#onOver = onOver
    this.#endIfOver()
  }

  /** Hands over what is complete, also when other traces are not. */
  flush(): void {
    this.collector?.flush()
  }

  #endIfOver(): void {
    if (this.#onOver === undefined || this.#open > 0) return
    this.flush()
    this.#onOver()
  }
}

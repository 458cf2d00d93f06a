import { TraceSampler } from './trace-sampler.ts'
import type { TraceSettings } from './trace-settings.ts'
import type { TraceCollector } from './triton-file/trace-collector.ts'

/** Settings in force, from a change to the next, with the requests that are traced by them. */
export class TraceSetting {
  readonly sampler: TraceSampler
  /** Where finished traces go; undefined where an exporter takes them. */
  readonly collector: TraceCollector | undefined
  readonly #settings: TraceSettings
  #open = 0
  #isReplaced = false

  constructor(settings: TraceSettings, collect?: (settings: TraceSettings, sampler: TraceSampler) => TraceCollector) {
    this.#settings = settings
    this.sampler = new TraceSampler(settings)
    this.collector = collect?.(settings, this.sampler)
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
    this.#flushIfOver()
  }

  /** Other settings hold from now on. */
  replaced(): void {
    this.#isReplaced = true
    this.#flushIfOver()
  }

  #flushIfOver(): void {
    if (this.#isReplaced && this.#open === 0) this.collector?.flush()
  }
}

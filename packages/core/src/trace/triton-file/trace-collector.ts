import type { TraceSampler } from '../trace-sampler.ts'
import type { TraceSettings } from '../trace-settings.ts'
import type { RecordedTrace } from './file-recorder.ts'
import type { TraceFile } from './trace-file.ts'

/** Brings the traces of one setting to the file, or to numbered files: every `logFrequency` traces, and at `count`. */
export class TraceCollector {
  readonly #logFrequency: number
  readonly #isCounted: boolean
  readonly #sampler: TraceSampler
  readonly #file: TraceFile
  #traces: RecordedTrace[] = []
  #collected = 0

  constructor({ logFrequency, count }: TraceSettings, sampler: TraceSampler, file: TraceFile) {
    this.#logFrequency = logFrequency
    this.#isCounted = count >= 0
    this.#sampler = sampler
    this.#file = file
  }

  add(trace: RecordedTrace): void {
    this.#collected++
    this.#traces.push(trace)
    if (this.#isFull) this.#file.writeNumbered(this.#take())
    // Nothing says that they are to be in a file of their own.
    else if (this.#logFrequency === 0 && !this.#isCounted) this.#file.append(this.#take())
  }

  /** No more come. */
  flush(): void {
    if (this.#traces.length === 0) return
    if (this.#logFrequency > 0) this.#file.writeNumbered(this.#take())
    else this.#file.append(this.#take())
  }

  get #isFull(): boolean {
    if (this.#logFrequency > 0 && this.#traces.length >= this.#logFrequency) return true
    return this.#isCounted && this.#sampler.remaining === 0 && this.#collected === this.#sampler.taken
  }

  #take(): RecordedTrace[] {
    const traces = this.#traces
    this.#traces = []
    return traces
  }
}

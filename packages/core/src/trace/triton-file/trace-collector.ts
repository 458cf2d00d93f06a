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

  /** Takes a trace that is complete. One that is empty was made all the same, and counts. */
  add(trace: RecordedTrace): void {
    this.#collected++
    if (trace.isEmpty) trace.dispose()
    else this.#traces.push(trace)
    if (this.#isFull) this.#write(true)
    // Nothing says that they are to be in a file of their own.
    else if (this.#logFrequency === 0 && !this.#isCounted) this.#write(false)
  }

  /** Writes what is there. */
  flush(): void {
    this.#write(this.#logFrequency > 0)
  }

  #write(isNumbered: boolean): void {
    const traces = this.#traces
    if (traces.length === 0) return
    this.#traces = []
    if (isNumbered) this.#file.writeNumbered(traces)
    else this.#file.append(traces)
  }

  get #isFull(): boolean {
    if (this.#logFrequency > 0 && this.#traces.length >= this.#logFrequency) return true
    return this.#isCounted && this.#sampler.remaining === 0 && this.#collected === this.#sampler.taken
  }
}

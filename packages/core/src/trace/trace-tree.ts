import type { Tensor } from '../request/tensor.ts'
import type { Clock } from '../util/clock.ts'
import type { ActivitySource, TracedRequest, TraceRecorder } from './trace-exporter.ts'
import type { TraceFaults } from './trace-faults.ts'
import type { TraceLevel } from './trace-settings.ts'
import { steadyNanoseconds } from './trace-time.ts'

export interface TraceTreeOptions {
  readonly level: readonly TraceLevel[]
  readonly recorder: TraceRecorder
  readonly clock: Clock
  readonly faults: TraceFaults
  readonly nextId: () => bigint
  /** Hears when nobody holds it any more. */
  readonly onEnd: () => void
}

/** A client's request and those that serve it. What is told of them after the end is lost. */
export class TraceTree {
  readonly timestamps: boolean
  readonly tensors: boolean
  /** By what other systems know it, if they do. */
  readonly traceId: string | undefined
  readonly #options: TraceTreeOptions
  /** The endpoint, and each request that the engine has. */
  #holders = 1

  constructor(options: TraceTreeOptions) {
    const { level, recorder, faults } = options
    this.timestamps = level.includes('TIMESTAMPS')
    this.tensors = level.includes('TENSORS')
    this.traceId = faults.attempt(() => recorder.traceId)
    this.#options = options
  }

  nextId(): bigint {
    return this.#options.nextId()
  }

  now(): bigint {
    return this.nanoseconds(this.#options.clock.now())
  }

  nanoseconds(time: number): bigint {
    return steadyNanoseconds(this.#options.clock, time)
  }

  activity(request: TracedRequest, name: string, time: bigint, source: ActivitySource): void {
    this.#tell((recorder) => recorder.activity(request, name, time, source))
  }

  tensor(request: TracedRequest, activity: string, name: string, tensor: Tensor): void {
    this.#tell((recorder) => recorder.tensor(request, activity, name, tensor))
  }

  contextOf(request: TracedRequest): string {
    return this.#tell((recorder) => recorder.contextOf(request)) ?? ''
  }

  hold(): void {
    if (!this.#isOver) this.#holders++
  }

  letGo(): void {
    if (this.#isOver) return
    const { onEnd } = this.#options
    if (this.#holders === 1) this.#tell((recorder) => recorder.end(this.now()))
    this.#holders--
    if (this.#isOver) onEnd()
  }

  get #isOver(): boolean {
    return this.#holders === 0
  }

  #tell<T>(what: (recorder: TraceRecorder) => T): T | undefined {
    const { recorder, faults } = this.#options
    return this.#isOver ? undefined : faults.attempt(() => what(recorder))
  }
}

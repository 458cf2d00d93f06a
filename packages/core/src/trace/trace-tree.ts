import type { Clock } from '../util/clock.ts'
import type { TraceRecorder } from './trace-exporter.ts'
import type { TraceLevel } from './trace-settings.ts'
import { steadyNanoseconds } from './trace-time.ts'

/** A client's request and those that serve it. What is told of them after the end is lost. */
export class TraceTree {
  readonly timestamps: boolean
  readonly tensors: boolean
  readonly nextId: () => bigint
  readonly #clock: Clock
  #recorder: TraceRecorder
  readonly #onEnd: () => void
  /** The endpoint, and each request that the engine has. */
  #holders = 1

  /** @param onEnd hears when nobody holds it any more. */
  constructor(
    level: readonly TraceLevel[],
    recorder: TraceRecorder,
    clock: Clock,
    nextId: () => bigint,
    onEnd: () => void,
  ) {
    this.timestamps = level.includes('TIMESTAMPS')
    this.tensors = level.includes('TENSORS')
    this.#recorder = recorder
    this.#clock = clock
    this.nextId = nextId
    this.#onEnd = onEnd
  }

  get recorder(): TraceRecorder {
    return this.#recorder
  }

  now(): bigint {
    return this.nanoseconds(this.#clock.now())
  }

  nanoseconds(time: number): bigint {
    return steadyNanoseconds(this.#clock, time)
  }

  hold(): void {
    this.#holders++
  }

  letGo(): void {
    this.#holders--
    if (this.#holders !== 0) return
    const { traceId } = this.#recorder
    this.#recorder.end(this.now())
    this.#recorder = { ...overRecorder, traceId }
    this.#onEnd()
  }
}

/** In the place of a recorder that was told that nothing more comes. */
const overRecorder: TraceRecorder = {
  activity: () => {},
  tensor: () => {},
  contextOf: () => '',
  end: () => {},
}

import type { ReportedResponse } from '../backend/execution-marks.ts'
import type { ResponseStatistics, StatisticDuration } from './model-statistics.ts'

/** Responses of one request that are told apart; a stream without end must not fill the memory with counters. */
const largestIndex = 9999

const kinds = ['computeInfer', 'computeOutput', 'success', 'fail', 'emptyResponse', 'cancel'] as const

type Kind = (typeof kinds)[number]

class Tally {
  count = 0
  milliseconds = 0

  add(milliseconds: number): void {
    this.count++
    this.milliseconds += milliseconds
  }

  snapshot(): StatisticDuration {
    return { count: this.count, ns: Math.round(this.milliseconds * 1e6) }
  }
}

class IndexStats implements Record<Kind, Tally> {
  readonly computeInfer = new Tally()
  readonly computeOutput = new Tally()
  readonly success = new Tally()
  readonly fail = new Tally()
  readonly emptyResponse = new Tally()
  readonly cancel = new Tally()
}

/**
 * Counters of the responses of a decoupled model by their place among the responses of a request: 0 is the first. All
 * times are milliseconds. The first 10,000 responses of a request are counted.
 */
export class ResponseStats {
  readonly #byIndex: IndexStats[] = []

  recordSuccess(index: number, infer: number, output: number): void {
    const stats = this.#at(index)
    stats?.computeInfer.add(infer)
    stats?.computeOutput.add(output)
    stats?.success.add(infer + output)
  }

  recordFailure(index: number, infer: number, output = 0): void {
    const stats = this.#at(index)
    stats?.computeInfer.add(infer)
    if (output > 0) stats?.computeOutput.add(output)
    stats?.fail.add(infer + output)
  }

  recordEmpty(index: number, infer: number): void {
    const stats = this.#at(index)
    stats?.computeInfer.add(infer)
    stats?.emptyResponse.add(infer)
  }

  recordCancel(index: number, duration: number): void {
    this.#at(index)?.cancel.add(duration)
  }

  /** What a backend measured itself. A failure may have outputs, which no response of the engine's own count has. */
  record(index: number, { outcome, computeInfer, computeOutput = 0 }: ReportedResponse): void {
    if (outcome === 'success') this.recordSuccess(index, computeInfer, computeOutput)
    else if (outcome === 'fail') this.recordFailure(index, computeInfer, computeOutput)
    else if (outcome === 'empty') this.recordEmpty(index, computeInfer)
    else this.recordCancel(index, computeInfer)
  }

  /** By index, as text. */
  snapshot(): Record<string, ResponseStatistics> {
    return Object.fromEntries(
      this.#byIndex.map((stats, index) => [
        index,
        Object.fromEntries(kinds.map((kind) => [kind, stats[kind].snapshot()])) as Record<Kind, StatisticDuration>,
      ]),
    )
  }

  /** The counters of an index are there as soon as a response reaches it, and so are all before it. */
  #at(index: number): IndexStats | undefined {
    if (index > largestIndex) return undefined
    while (this.#byIndex.length <= index) this.#byIndex.push(new IndexStats())
    return this.#byIndex[index]
  }
}

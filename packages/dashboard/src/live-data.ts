import type { HistogramSnapshot, ModelSnapshot, Server, ServerSnapshot } from '@triton-ts/core'
import type { LiveHistogram, LiveModel, LiveSnapshot } from './live-snapshot.ts'

/** Milliseconds that a snapshot serves everybody who asks: many open pages cost as much as one. */
const shared = 500

/** What a Server does now, as JSON. Nothing runs while nobody asks. */
export class LiveData {
  readonly #server: Server
  readonly #now: () => number
  #taken = Number.NEGATIVE_INFINITY
  #json = ''

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(server: Server, now: () => number) {
    this.#server = server
    this.#now = now
  }

  json(): string {
    const now = this.#now()
    if (now - this.#taken >= shared) {
      this.#json = JSON.stringify(liveSnapshot(this.#server.snapshot()))
      this.#taken = now
    }
    return this.#json
  }
}

/** What the page needs of a snapshot. */
export function liveSnapshot({ time, state, models, eventLoopDelay }: ServerSnapshot): LiveSnapshot {
  return { time, state, models: models.map(liveModel), eventLoopDelay }
}

function liveModel(model: ModelSnapshot): LiveModel {
  const { name, namespace, version, isDecoupled, isEnsemble, loadDuration, pending, inflight, saturation } = model
  const { inferenceCount, executionCount, inferenceStats } = model.statistics
  const { success, fail, queue, computeInput, computeInfer, computeOutput } = inferenceStats
  return {
    ...{ name, namespace, version, isDecoupled, isEnsemble, loadDuration, pending, inflight, saturation },
    busy: model.instances.busy,
    instances: model.instances.total,
    successes: success.count,
    failures: fail.count,
    items: inferenceCount,
    executions: executionCount,
    responses: model.responseCount,
    stages: {
      queue: queue.ns / 1e9,
      input: computeInput.ns / 1e9,
      compute: computeInfer.ns / 1e9,
      output: computeOutput.ns / 1e9,
    },
    latency: liveHistogram(model.requestDuration),
    batchSize: liveHistogram(model.batchSize),
  }
}

const liveHistogram = ({ bounds, counts }: HistogramSnapshot): LiveHistogram => ({ bounds, counts })

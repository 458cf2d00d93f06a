import { setImmediate } from 'node:timers/promises'
import type { HistogramSnapshot, ModelSnapshot, Server } from '@triton-ts/core'
import type { LiveHistogram, LiveModel } from './live-snapshot.ts'

/** Milliseconds that a snapshot serves everybody who asks: many open pages cost as much as one. */
const shared = 500

/** Models between two turns of the event loop: about a millisecond of work. */
const modelsAtOnce = 50

/** What a Server does now, as JSON. Nothing runs while nobody asks. */
export class LiveData {
  readonly #server: Server
  readonly #now: () => number
  #taken = Number.NEGATIVE_INFINITY
  #json = Promise.resolve('')

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(server: Server, now: () => number) {
    this.#server = server
    this.#now = now
  }

  json(): Promise<string> {
    const now = this.#now()
    if (now - this.#taken >= shared) {
      this.#taken = now
      this.#json = liveJson(this.#server)
      this.#json.catch(() => {
        this.#taken = Number.NEGATIVE_INFINITY
      })
    }
    return this.#json
  }
}

/** A `LiveSnapshot`. It is made model by model, so that one of thousands holds up no request. */
async function liveJson(server: Server): Promise<string> {
  const { models, ...rest } = server.snapshotInParts()
  const texts: string[] = []
  for (const model of models) {
    if (texts.length > 0 && texts.length % modelsAtOnce === 0) await setImmediate()
    texts.push(JSON.stringify(liveModel(model)))
  }
  return `${JSON.stringify(rest).slice(0, -1)},"models":[${texts.join(',')}]}`
}

/** What the page needs of a model. */
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

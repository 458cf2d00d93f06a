import { type Clock, systemClock, type Tensor, TritonError } from '@triton-ts/core'
import type { Backend, BackendInstance, ExecutionRequest } from '@triton-ts/core/backend'

export interface EchoOptions {
  /** What configurations call the backend. Default `identity`, the name of Triton's own example backend. */
  readonly name?: string | undefined
  /** Where `EchoBatch.at` is read from; give it the clock of the Server. Default: the system's. */
  readonly clock?: Clock | undefined
  /** How many batches `batches` keeps, the latest ones. Default 1000; 0 where nobody asks and many requests run. */
  readonly history?: number | undefined
}

/** Requests that ran together. */
export interface EchoBatch {
  /** Ids of the requests, in the order of the batch. */
  readonly ids: readonly string[]
  /** Items of all requests: each has its batch dimension, or is one without. */
  readonly size: number
  readonly model: string
  /** Name of the instance that ran them. */
  readonly instance: string
  /** When it ran, in milliseconds on the clock. */
  readonly at: number
}

/** A backend that answers with its inputs and remembers what ran together. */
export interface EchoBackend extends Backend {
  /** What ran so far, in order. */
  readonly batches: readonly EchoBatch[]
  /** The batch that this request ran in, the latest of several; undefined when it has not run. */
  batchOf(id: string): EchoBatch | undefined
}

/**
 * Makes a backend that answers every output with the input at the same place in the configuration, without copying. It
 * runs on the event loop and never waits, so what is measured or tested around it is the engine alone.
 * @param options a name, or more.
 */
export function echoBackend(options: string | EchoOptions = {}): EchoBackend {
  const {
    name = 'identity',
    clock = systemClock,
    history = 1000,
  } = typeof options === 'string' ? { name: options } : options
  const batches: EchoBatch[] = []
  const record = (model: string, instance: string, requests: readonly ExecutionRequest[]): void => {
    if (history === 0) return
    if (batches.length === history) batches.shift()
    batches.push({ ids: requests.map(({ id }) => id), size: itemsOf(requests), model, instance, at: clock.now() })
  }
  return {
    name,
    batches,
    batchOf: (id) => batches.findLast(({ ids }) => ids.includes(id)),
    async createModel() {
      return {
        async createInstance({ config, name: instance }) {
          const sources = new Map(config.output.map((output, i) => [output.name, config.input[i]?.name]))
          return echoInstance(sources, (requests) => record(config.name, instance, requests))
        },
        async dispose() {},
      }
    },
  }
}

const itemsOf = (requests: readonly ExecutionRequest[]): number =>
  requests.reduce((items, { batchSize }) => items + Math.max(1, batchSize), 0)

function echoInstance(
  sources: ReadonlyMap<string, string | undefined>,
  record: (requests: readonly ExecutionRequest[]) => void,
): BackendInstance {
  const answer = (request: ExecutionRequest): void => {
    const outputs: Record<string, Tensor> = {}
    for (const output of request.requestedOutputs) {
      const source = sources.get(output)
      const tensor = source === undefined ? undefined : request.inputs.get(source)
      if (tensor === undefined) {
        request.fail(new TritonError('INVALID_ARG', `output '${output}' has no input to echo`))
        return
      }
      outputs[output] = tensor
    }
    request.respond({ outputs })
  }
  return {
    execute(requests, marks) {
      marks.computeStart()
      marks.computeEnd()
      record(requests)
      for (const request of requests) answer(request)
    },
    async dispose() {},
  }
}

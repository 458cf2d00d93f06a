import { type Tensor, TritonError } from '@triton-ts/core'
import type { Backend, BackendInstance, ExecutionRequest } from '@triton-ts/core/backend'

export interface EchoOptions {
  /** What configurations call the backend. Default `identity`, the name of Triton's own example backend. */
  readonly name?: string | undefined
  /** Hears of every batch before it is answered. */
  readonly onBatch?: ((batch: EchoBatch) => void) | undefined
}

/** Requests that ran together. */
export interface EchoBatch {
  readonly requests: readonly ExecutionRequest[]
  /** The name of the instance that ran them. */
  readonly instance: string
}

/**
 * A backend that answers every output with the input at the same place in the configuration, without copying. It runs
 * on the event loop and never waits, so what is measured or tested around it is the engine alone.
 * @param options a name, or more.
 */
export function echoBackend(options: string | EchoOptions = {}): Backend {
  const { name = 'identity', onBatch } = typeof options === 'string' ? { name: options } : options
  return {
    name,
    async createModel() {
      return {
        async createInstance({ config, name: instance }) {
          const sources = new Map(config.output.map((output, i) => [output.name, config.input[i]?.name]))
          return echoInstance(sources, onBatch && ((requests) => onBatch({ requests, instance })))
        },
        async dispose() {},
      }
    },
  }
}

function echoInstance(
  sources: ReadonlyMap<string, string | undefined>,
  onBatch: ((requests: readonly ExecutionRequest[]) => void) | undefined,
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
      onBatch?.(requests)
      for (const request of requests) answer(request)
    },
    async dispose() {},
  }
}

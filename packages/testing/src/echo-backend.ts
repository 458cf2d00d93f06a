import { type Tensor, TritonError } from '@triton-ts/core'
import type { Backend, BackendInstance, ExecutionRequest } from '@triton-ts/core/backend'

/**
 * A backend that answers every output with the input at the same place in the configuration, without copying. It runs
 * on the event loop and never waits, so what is measured or tested around it is the engine alone.
 * Its name is that of Triton's own example backend.
 */
export function echoBackend(name = 'identity'): Backend {
  return {
    name,
    async createModel() {
      return {
        async createInstance({ config }) {
          const sources = new Map(config.output.map((output, i) => [output.name, config.input[i]?.name]))
          return echoInstance(sources)
        },
        async dispose() {},
      }
    },
  }
}

function echoInstance(sources: ReadonlyMap<string, string | undefined>): BackendInstance {
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
      for (const request of requests) answer(request)
    },
    async dispose() {},
  }
}

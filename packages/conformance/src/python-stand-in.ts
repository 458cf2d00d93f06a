import { errorCodes, Tensor, TritonError, tensor } from '@triton-ts/core'
import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'

/**
 * The recorded Python models `params_echo` and `py_error` as TypeScript, so that what the HTTP adapter and the engine do
 * with parameters, ids and errors of a backend is compared with the recording without Python.
 */
export function pythonStandIn(): Backend {
  return {
    name: 'python',
    createModel: async ({ name }) => ({
      createInstance: async () => ({
        execute(requests) {
          for (const request of requests) (name === 'py_error' ? failOnDemand : echoParameters)(request)
        },
        async dispose() {},
      }),
      async dispose() {},
    }),
  }
}

function echoParameters(request: ExecutionRequest): void {
  const { id, parameters, correlationId, timeoutMicroseconds, requestedOutputs } = request
  const text = pythonJson({
    parameters,
    id,
    correlation_id: correlationId,
    flags: Number(request.sequenceStart) + 2 * Number(request.sequenceEnd),
    timeout: timeoutMicroseconds,
    outputs: [...requestedOutputs].sort(),
  })
  request.respond({ outputs: { OUT: tensor('BYTES', [1], [text]) } })
}

function failOnDemand(request: ExecutionRequest): void {
  const code = request.inputs.get('CODE')?.data[0] as number
  if (code === -1) {
    throw new TritonError('INTERNAL', "Failed to process the request(s) for model 'py_error_0_0', message: raised")
  }
  const name = errorCodes[code]
  if (name !== undefined) request.fail(new TritonError(name, `error with code ${name}`))
  else request.respond({ outputs: { OUT: Tensor.of('INT32', [1], new Int32Array([code])) } })
}

/** As `json.dumps(value, sort_keys=True)` prints it. */
function pythonJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && Math.abs(value) >= 1e16) return value.toExponential()
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`).join(', ')}}`
}

import { errorCodes, Tensor, TritonError, tensor } from '@triton-ts/core'
import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'
import { capitals, words } from './text-stand-in.ts'

/**
 * The recorded Python models as TypeScript, so that what the HTTP adapter and the engine do with parameters, ids, errors
 * of a backend, sequences and streams is compared with the recording without Python.
 */
export function pythonStandIn(): Backend {
  return {
    name: 'python',
    createModel: async ({ name }) => ({
      createInstance: async () => {
        const answer = answers[name]?.() ?? echoParameters
        return {
          // As the recorded version of the Python backend, which does not count responses.
          reportsStatistics: true,
          execute(requests, marks) {
            for (const request of requests) {
              marks.reportRequest(request, noTime, true)
              answer(request)
            }
            marks.reportBatch(requests.length, noTime)
          },
          async dispose() {},
        }
      },
      async dispose() {},
    }),
  }
}

const noTime = { computeInput: 0, computeInfer: 0, computeOutput: 0 }

const answers: Readonly<Record<string, () => (request: ExecutionRequest) => void>> = {
  py_error: () => failOnDemand,
  seq_py: accumulator,
  gen_text: () => capitals,
  gen_text_batch: () => capitals,
  gen_text_var: () => capitals,
  stream_text: () => words,
}

/** Sums up the inputs of each sequence. */
function accumulator(): (request: ExecutionRequest) => void {
  const sums = new Map<bigint | string, number>()
  return (request) => {
    const { correlationId: id, sequenceStart, sequenceEnd } = request
    const before = sequenceStart ? 0 : (sums.get(id) ?? 0)
    const sum = before + (request.inputs.get('INPUT')?.data[0] as number)
    if (sequenceEnd) sums.delete(id)
    else sums.set(id, sum)
    const outputs = {
      OUTPUT: tensor('INT32', [1, 1], Int32Array.of(sum)),
      ID: tensor('BYTES', [1, 1], [String(id)]),
      FLAGS: tensor('INT32', [1, 1], Int32Array.of(flagsOf(request))),
    }
    request.respond({ outputs })
  }
}

const flagsOf = ({ sequenceStart, sequenceEnd }: ExecutionRequest): number =>
  Number(sequenceStart) + 2 * Number(sequenceEnd)

function echoParameters(request: ExecutionRequest): void {
  const { id, parameters, correlationId, timeoutMicroseconds, requestedOutputs } = request
  const text = pythonJson({
    parameters,
    id,
    correlation_id: correlationId,
    flags: flagsOf(request),
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

import { TritonError } from '../errors.ts'
import type { ParameterValue } from '../request/infer-request.ts'

/** The place in a sequence that a request has, and that what comes of it gets. */
export interface SequenceMark {
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
}

type Parameters = Readonly<Record<string, ParameterValue>>

/** What a response says of a sequence when there is none. */
const noSequence: Parameters = { sequence_id: 0, sequence_start: false, sequence_end: false }

export const isSameMark = (a: SequenceMark, b: SequenceMark): boolean =>
  a === b ||
  (a.correlationId === b.correlationId && a.sequenceStart === b.sequenceStart && a.sequenceEnd === b.sequenceEnd)

/**
 * The mark that a step gives to what comes after it with the parameters `sequence_id`, `sequence_start` and
 * `sequence_end` of its response. With any of them the flags that it does not give are false.
 * @param mark of the step's request.
 * @returns undefined when the response has none of them: the step's own mark goes on.
 * @throws TritonError INVALID_ARG for a value of another type.
 */
export function markFrom(parameters: Parameters, mark: SequenceMark): SequenceMark | undefined {
  const { sequence_id: id, sequence_start: start, sequence_end: end } = parameters
  if (id === undefined && start === undefined && end === undefined) return undefined
  return {
    correlationId: id === undefined ? mark.correlationId : correlationIdOf(id),
    sequenceStart: flagOf('sequence_start', start),
    sequenceEnd: flagOf('sequence_end', end),
  }
}

/** As in Triton, a negative number is the 64-bit number without sign that has its bits. */
function correlationIdOf(id: ParameterValue): bigint | string {
  if (typeof id === 'string') return id
  if (typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id)))
    return BigInt.asUintN(64, BigInt(id))
  throw new TritonError(
    'INVALID_ARG',
    "expected parameter 'sequence_id' to be TRITONSERVER_PARAMETER_INT or TRITONSERVER_PARAMETER_STRING",
  )
}

function flagOf(name: string, value: ParameterValue = false): boolean {
  if (typeof value === 'boolean') return value
  throw new TritonError('INVALID_ARG', `expect parameter '${name}' to be TRITONSERVER_PARAMETER_BOOL`)
}

/** The parameters with which an ensemble's response tells the mark. A number without sign becomes one with sign. */
export function parametersOf({ correlationId, sequenceStart, sequenceEnd }: SequenceMark): Parameters {
  if (correlationId === 0n && !sequenceStart && !sequenceEnd) return noSequence
  return { sequence_id: toParameter(correlationId), sequence_start: sequenceStart, sequence_end: sequenceEnd }
}

function toParameter(id: bigint | string): ParameterValue {
  if (typeof id === 'string') return id
  const signed = BigInt.asIntN(64, id)
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed
}

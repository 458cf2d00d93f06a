import { TritonError } from '@triton-ts/core'
import type { GrpcRequest } from './grpc-request.ts'
import type { InferParameter, InferParameters } from './infer-parameter.ts'

const invalid = (message: string): TritonError => new TritonError('INVALID_ARG', message)

const wrongType = (name: string, expected: string): TritonError =>
  invalid(`invalid value type for '${name}' parameter, expected ${expected}.`)

const emptyFinalResponse = 'triton_enable_empty_final_response'

/**
 * What the parameters of a request say: those that the protocol knows, and the model's own. Source: Triton,
 * `SetInferenceRequestMetadata`.
 * @throws TritonError INVALID_ARG with Triton's texts.
 */
export function applyParameters(parameters: InferParameters, request: GrpcRequest): void {
  for (const [name, parameter] of parameters) {
    switch (name) {
      case 'sequence_id':
        request.correlationId = correlationId(parameter)
        break
      case 'sequence_start':
        request.sequenceStart = asBool(name, parameter)
        break
      case 'sequence_end':
        request.sequenceEnd = asBool(name, parameter)
        break
      case 'priority':
        request.priority = priority(parameter)
        break
      case 'timeout':
        if (parameter.choice !== 'int64_param') throw wrongType(name, 'int64_param')
        request.timeoutMicroseconds = Number(BigInt.asUintN(64, BigInt(parameter.value)))
        break
      default:
        if (name.startsWith('triton_')) applyTritonParameter(name, parameter, request)
        else request.setParameter(name, modelValue(name, parameter))
    }
  }
}

function correlationId(parameter: InferParameter): number | bigint | string {
  if (parameter.choice === 'string_param') return parameter.value
  if (parameter.choice !== 'int64_param') throw wrongType('sequence_id', 'int64_param or string_param')
  // An id has 64 bits without sign.
  return parameter.value >= 0 ? parameter.value : BigInt.asUintN(64, BigInt(parameter.value))
}

function priority(parameter: InferParameter): number {
  if (parameter.choice === 'uint64_param') return Number(parameter.value)
  if (parameter.choice !== 'int64_param') throw wrongType('priority', 'int64_param or uint64_param')
  if (parameter.value < 0) throw invalid("invalid value for 'priority', expected value >= 0.")
  return Number(parameter.value)
}

function asBool(name: string, parameter: InferParameter): boolean {
  if (parameter.choice !== 'bool_param') throw wrongType(name, 'bool_param')
  return parameter.value
}

function applyTritonParameter(name: string, parameter: InferParameter, request: GrpcRequest): void {
  if (name !== emptyFinalResponse) {
    throw invalid(
      "parameter keys starting with 'triton_' are reserved for Triton usage. " +
        `Only the following keys starting with 'triton_' are allowed: ${emptyFinalResponse}`,
    )
  }
  request.wantsEmptyFinal = asBool(name, parameter)
}

function modelValue(name: string, parameter: InferParameter): string | number | bigint | boolean {
  if (parameter.choice === 'none' || parameter.choice === 'uint64_param') {
    throw wrongType(name, 'int64_param, bool_param, or string_param')
  }
  return parameter.value
}

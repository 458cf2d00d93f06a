import { type DataType, dataTypes, type ErrorCode, errorCodes, TritonError } from '@triton-ts/core'
import type { InstanceContext, MemoryUsage, PreferredInstanceGroup } from '@triton-ts/core/backend'
import type { NativeError } from './binding.ts'

/** Triton's number of each data type; 0 is none. */
export const dataTypeNumbers = Object.fromEntries(dataTypes.map((name, i) => [name, i + 1])) as Record<DataType, number>

/** Undefined for a number that is no data type. */
export const dataTypeOf = (number: number): DataType | undefined => dataTypes[number - 1]

/** Triton's number of each type of parameter. */
export const parameterType = { string: 0, int: 1, bool: 2, double: 3, bytes: 4 } as const

/** By Triton's number. */
const instanceGroupKinds: readonly PreferredInstanceGroup['kind'][] = [
  'KIND_AUTO',
  'KIND_CPU',
  'KIND_GPU',
  'KIND_MODEL',
]

export const kindNumber = (kind: InstanceContext['kind']): number => instanceGroupKinds.indexOf(kind)

export const kindOf = (number: number): PreferredInstanceGroup['kind'] => instanceGroupKinds[number] ?? 'KIND_AUTO'

const memoryTypes: readonly MemoryUsage['type'][] = ['CPU', 'CPU_PINNED', 'GPU']

export const memoryTypeOf = (number: number): MemoryUsage['type'] => memoryTypes[number] ?? 'CPU'

export const errorOf = (code: number, message: string): TritonError =>
  new TritonError(errorCodes[code] ?? 'UNKNOWN', message)

/** What the addon is told of an error. */
export function nativeError(thrown: unknown, code: ErrorCode = 'INTERNAL'): NativeError {
  const error = TritonError.from(thrown, code)
  return { code: errorCodes.indexOf(error.code), message: error.message }
}

/** By Triton's number; 10 is an activity with a name of its own. */
export const traceActivities: readonly string[] = [
  'REQUEST_START',
  'QUEUE_START',
  'COMPUTE_START',
  'COMPUTE_INPUT_END',
  'COMPUTE_OUTPUT_START',
  'COMPUTE_END',
  'REQUEST_END',
  'TENSOR_QUEUE_INPUT',
  'TENSOR_BACKEND_INPUT',
  'TENSOR_BACKEND_OUTPUT',
]

/** Bits of Triton's trace level. */
export const traceLevel = { timestamps: 4, tensors: 8 } as const

/** Bits of the flags of a request in a sequence. */
export const sequenceFlag = { start: 1, end: 2 } as const

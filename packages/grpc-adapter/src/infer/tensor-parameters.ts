import { TritonError } from '@triton-ts/core'
import type { RegionReference } from '@triton-ts/protocol'
import type { InferParameter, InferParameters } from './infer-parameter.ts'

const invalid = (message: string): TritonError => new TritonError('INVALID_ARG', message)

/**
 * Where the parameters of a tensor say that it lies in shared memory. Source: Triton, `ParseSharedMemoryParams`.
 * @throws TritonError INVALID_ARG with Triton's texts.
 */
export function readRegion(name: string, parameters: InferParameters | undefined): RegionReference | undefined {
  if (parameters === undefined) return undefined
  const region = parameters.get('shared_memory_region')
  if (region !== undefined && region.choice !== 'string_param') {
    throw wrongType('shared_memory_region', name, 'string_param')
  }
  const offset = readInteger('shared_memory_offset', name, parameters, region)
  const byteSize = readInteger('shared_memory_byte_size', name, parameters, region)
  if (region === undefined) return undefined
  if (byteSize === undefined) {
    throw invalid(
      `'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '${name}'`,
    )
  }
  return { region: region.value, offset: offset ?? 0, byteSize }
}

function readInteger(
  key: string,
  name: string,
  parameters: InferParameters,
  region: InferParameter | undefined,
): number | bigint | undefined {
  const parameter = parameters.get(key)
  if (parameter === undefined) return undefined
  if (region === undefined) {
    throw invalid(`'${key}' can not be specified without 'shared_memory_region' parameter for tensor '${name}'`)
  }
  if (parameter.choice !== 'int64_param') throw wrongType(key, name, 'int64_param')
  return parameter.value
}

const wrongType = (key: string, name: string, expected: string): TritonError =>
  invalid(`invalid value type for '${key}' parameter for tensor '${name}', expected ${expected}.`)

/** Classes beyond this are as many as there are; Triton keeps 32 bits. */
const maxClasses = 2 ** 32 - 1

/**
 * The number of classes that an output is to be replaced by; 0 for none.
 * @throws TritonError INVALID_ARG with Triton's texts.
 */
export function readClasses(parameters: InferParameters | undefined): number {
  const classes = parameters?.get('classification')
  if (classes === undefined) return 0
  if (classes.choice !== 'int64_param') {
    throw invalid("invalid value type for 'classification' parameter, expected int64_param")
  }
  if (classes.value <= 0) throw invalid("invalid value for 'classification' parameter, expected >= 0")
  return Math.min(Number(classes.value), maxClasses)
}

import {
  createArray,
  type DataType,
  dataTypeSizes,
  elementCount,
  isDataType,
  type NumericDataType,
  Tensor,
  TritonError,
} from '@triton-ts/core'
import type { JsonArray } from '../json/json-array.ts'
import type { JsonValue } from '../json/json-value.ts'
import { nestingError } from '../json/parse-error.ts'
import { fillIntegers } from './fill-integers.ts'
import { memberAsArray } from './json-access.ts'
import { checkJsonTensorSize } from './size-limits.ts'

/** Arrays inside each other that a tensor's data may have; Triton's HTTP_MAX_JSON_NESTING_DEPTH. */
const maxDataNesting = 100

/** What Triton's JSON wrapper says of a leaf that is not of the datatype. */
const wrongLeafTexts = {
  BOOL: 'attempt to access JSON non-boolean as boolean',
  UINT: 'attempt to access JSON non-unsigned-integer as unsigned-integer',
  INT: 'attempt to access JSON non-signed-integer as signed-integer',
  FP: 'attempt to access JSON non-number as double',
} as const

/**
 * The tensor of an input whose data is in the JSON. Nesting need not fit the shape, as with Triton: only the number of
 * leaves counts. Integers are cast to the datatype without a look at its range.
 * @throws TritonError
 */
export function jsonTensor(
  input: JsonValue,
  name: string,
  datatype: string,
  shape: readonly number[],
  maxBytes: number,
): Tensor {
  const known = isDataType(datatype) ? datatype : undefined
  let elements = 1
  for (const size of shape) elements *= size
  if (elements === 0 && known !== undefined) return Tensor.fromBytes(known, shape, new Uint8Array(0))
  const data = memberAsArray(input, 'data')
  if (known === 'BYTES') {
    const packed = packedStrings(data)
    checkJsonTensorSize(name, packed.byteLength, maxBytes)
    return Tensor.fromBytes('BYTES', shape, packed)
  }
  checkJsonTensorSize(name, known === undefined ? 0 : elements * dataTypeSizes[known], maxBytes)
  if (known === undefined) throw new TritonError('INVALID_ARG', `invalid datatype for input ${name}`)
  checkHasJsonForm(known, name)
  return numericTensor(data, known, shape)
}

/** @throws TritonError INVALID_ARG for FP16 and BF16. */
export function checkHasJsonForm(datatype: DataType, name: string): void {
  if (datatype !== 'FP16' && datatype !== 'BF16') return
  throw new TritonError(
    'INVALID_ARG',
    `receiving ${datatype} data via JSON is not supported. Please use the binary data format for input ${name}`,
  )
}

/** @throws TritonError INTERNAL for leaves of another type or number than the tensor has. */
export function numericTensor(data: JsonArray, datatype: NumericDataType, shape: readonly number[]): Tensor {
  const elements = elementCount(shape)
  checkLeaves(data, datatype, elements)
  return Tensor.of(datatype, shape, numericData(data, datatype, elements))
}

/** What Triton says of a leaf that no tensor of this type has. */
export function wrongLeaf(datatype: NumericDataType): TritonError {
  const kind = datatype === 'BOOL' ? 'BOOL' : (datatype.replace(/[0-9]+/, '') as 'UINT' | 'INT' | 'FP')
  return new TritonError('INTERNAL', `Unable to parse 'data': ${wrongLeafTexts[kind]}`)
}

function checkLeaves(data: JsonArray, datatype: NumericDataType, elements: number): void {
  if (data.depth >= maxDataNesting) throw withLabel(nestingError(maxDataNesting))
  const kind = datatype === 'BOOL' ? 'booleans' : 'numbers'
  let wrongAt = data.kind === kind ? data.mixedAt : data.kind === 'empty' ? Number.POSITIVE_INFINITY : 0
  if (datatype.startsWith('INT')) wrongAt = Math.min(wrongAt, data.notInt64At)
  else if (datatype.startsWith('UINT')) wrongAt = Math.min(wrongAt, data.notUint64At)
  if (wrongAt < elements) throw wrongLeaf(datatype)
  const isMixed = data.mixedAt < Number.POSITIVE_INFINITY
  if (data.count !== elements || isMixed) {
    throw new TritonError('INTERNAL', "Unable to parse 'data': Shape does not match true shape of 'data' field")
  }
}

const withLabel = (error: TritonError): TritonError =>
  new TritonError(error.code, `Unable to parse 'data': ${error.message}`)

function numericData(data: JsonArray, datatype: NumericDataType, elements: number) {
  if (datatype === 'BOOL') return data.bytes.slice()
  const values = createArray(datatype, elements)
  if (datatype === 'FP32' || datatype === 'FP64') (values as Float32Array | Float64Array).set(data.numbers)
  else fillIntegers(values, data)
  return values
}

/**
 * BYTES are in their wire form already. How many elements they have to be is for the engine to check.
 * @throws TritonError INTERNAL for what is no string.
 */
export function packedStrings(data: JsonArray): Uint8Array {
  if (data.depth >= maxDataNesting) throw nestingError(maxDataNesting)
  if (data.kind !== 'empty' && (data.kind !== 'strings' || data.mixedAt <= data.count)) throw notString()
  return data.kind === 'empty' ? new Uint8Array(0) : new Uint8Array(data.bytes)
}

export const notString = (): TritonError =>
  new TritonError('INTERNAL', 'Unable to parse JSON bytes array: attempt to access JSON non-string as string')

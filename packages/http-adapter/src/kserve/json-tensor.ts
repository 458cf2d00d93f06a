import { createArray, type DataType, dataTypeSizes, isDataType, Tensor, TritonError } from '@triton-ts/core'
import type { JsonArray } from '../json/json-array.ts'
import type { JsonValue } from '../json/json-value.ts'
import { nestingError } from '../json/parse-error.ts'
import { fillIntegers } from './fill-integers.ts'
import { memberAsArray } from './json-access.ts'
import { checkJsonTensorSize } from './size-limits.ts'

/** Arrays inside each other that a tensor's data may have; Triton's HTTP_MAX_JSON_NESTING_DEPTH. */
const maxDataNesting = 100

/** What Triton's JSON wrapper says of a leaf that is not of the datatype. */
const wrongLeaf = {
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
  if (known === 'BYTES') return bytesTensor(data, name, shape, maxBytes)
  checkJsonTensorSize(name, known === undefined ? 0 : elements * dataTypeSizes[known], maxBytes)
  if (known === undefined) throw new TritonError('INVALID_ARG', `invalid datatype for input ${name}`)
  if (known === 'FP16' || known === 'BF16') {
    throw new TritonError(
      'INVALID_ARG',
      `receiving ${known} data via JSON is not supported. Please use the binary data format for input ${name}`,
    )
  }
  checkLeaves(data, known, elements)
  return Tensor.of(known, shape, numericData(data, known, elements))
}

function checkLeaves(data: JsonArray, datatype: DataType, elements: number): void {
  if (data.depth >= maxDataNesting) throw withLabel(nestingError(maxDataNesting))
  const wrong =
    datatype === 'BOOL' ? wrongLeaf.BOOL : wrongLeaf[datatype.replace(/[0-9]+/, '') as 'UINT' | 'INT' | 'FP']
  const kind = datatype === 'BOOL' ? 'booleans' : 'numbers'
  let wrongAt = data.kind === kind ? data.mixedAt : data.kind === 'empty' ? Number.POSITIVE_INFINITY : 0
  if (wrong === wrongLeaf.INT) wrongAt = Math.min(wrongAt, data.notInt64At)
  else if (wrong === wrongLeaf.UINT) wrongAt = Math.min(wrongAt, data.notUint64At)
  if (wrongAt < elements) throw new TritonError('INTERNAL', `Unable to parse 'data': ${wrong}`)
  const isMixed = data.mixedAt < Number.POSITIVE_INFINITY
  if (data.count !== elements || isMixed) {
    throw new TritonError('INTERNAL', "Unable to parse 'data': Shape does not match true shape of 'data' field")
  }
}

const withLabel = (error: TritonError): TritonError =>
  new TritonError(error.code, `Unable to parse 'data': ${error.message}`)

function numericData(data: JsonArray, datatype: Exclude<DataType, 'BYTES'>, elements: number) {
  if (datatype === 'BOOL') return data.bytes.slice()
  const values = createArray(datatype, elements)
  if (datatype === 'FP32' || datatype === 'FP64') (values as Float32Array | Float64Array).set(data.numbers)
  else fillIntegers(values, data)
  return values
}

/** BYTES are in their wire form already. How many elements they have to be is for the engine to check. */
function bytesTensor(data: JsonArray, name: string, shape: readonly number[], maxBytes: number): Tensor {
  if (data.depth >= maxDataNesting) throw nestingError(maxDataNesting)
  if (data.kind !== 'empty' && (data.kind !== 'strings' || data.mixedAt <= data.count)) {
    throw new TritonError('INTERNAL', 'Unable to parse JSON bytes array: attempt to access JSON non-string as string')
  }
  const packed = data.kind === 'empty' ? new Uint8Array(0) : data.bytes
  checkJsonTensorSize(name, packed.byteLength, maxBytes)
  return Tensor.fromBytes('BYTES', shape, new Uint8Array(packed))
}

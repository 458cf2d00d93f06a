import {
  createArray,
  dataTypeSizes,
  type NumericArray,
  type NumericDataType,
  packBytes,
  Tensor,
  type TensorMetadata,
} from '@triton-ts/core'
import { JsonArray } from '../json/json-array.ts'
import { JsonNumber, type JsonValue, maxInt64 } from '../json/json-value.ts'
import { checkHasJsonForm, notString, numericTensor, packedStrings, wrongLeaf } from '../kserve/json-tensor.ts'
import { fitShape } from './fit-shape.ts'
import type { InputRoom } from './input-room.ts'

/**
 * The tensor of an input whose value is a scalar or an array, in the shape that the model's metadata let it have. An
 * empty value is a tensor of shape `[]` without data, which the engine judges.
 * @throws TritonError INVALID_ARG for a value that is too big or fits no shape, INTERNAL for one of another type.
 */
export function generateTensor(value: JsonValue, input: TensorMetadata, room: InputRoom): Tensor {
  const { name, datatype, shape: dims } = input
  const packed = datatype === 'BYTES' ? packedValue(value) : undefined
  const elements = value instanceof JsonArray ? value.length : 1
  const size = packed?.byteLength ?? elements * dataTypeSizes[datatype]
  if (size === 0) return Tensor.fromBytes(datatype, [], new Uint8Array(0))
  room.take(name, size)
  const shape = fitShape(name, dims, elements)
  if (datatype === 'BYTES') return Tensor.fromBytes('BYTES', shape, packed as Uint8Array)
  checkHasJsonForm(datatype, name)
  return value instanceof JsonArray
    ? numericTensor(value, datatype, shape)
    : Tensor.of(datatype, shape, scalar(value, datatype))
}

function packedValue(value: JsonValue): Uint8Array {
  if (value instanceof JsonArray) return packedStrings(value)
  if (typeof value === 'string') return packBytes([value])
  throw notString()
}

/** One element, with the casts of elements in arrays. */
function scalar(value: JsonValue, datatype: NumericDataType): NumericArray {
  if (datatype === 'BOOL' && typeof value === 'boolean') return Uint8Array.of(Number(value))
  if (datatype === 'BOOL' || !(value instanceof JsonNumber)) throw wrongLeaf(datatype)
  const data = createArray(datatype, 1)
  if (data instanceof Float32Array || data instanceof Float64Array) {
    data[0] = value.value
    return data
  }
  const { integer } = value
  const isSigned = datatype.startsWith('INT')
  if (integer === undefined || (isSigned ? integer > maxInt64 : integer < 0)) throw wrongLeaf(datatype)
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data[0] = BigInt(integer)
  else data[0] = Number(BigInt.asIntN(32, BigInt(integer)))
  return data
}

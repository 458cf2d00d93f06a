import { type DataType, dataTypeSizes } from './data-type.ts'
import { elementCount } from './shape.ts'
import { Tensor } from './tensor.ts'

/** Bytes before the content of a BYTES element. */
const lengthPrefix = 4

/** A tensor of zeros, false values or empty strings. */
export function zeroTensor(datatype: DataType, shape: readonly number[]): Tensor {
  const size = dataTypeSizes[datatype] || lengthPrefix
  return Tensor.fromBytes(datatype, shape, new Uint8Array(elementCount(shape) * size))
}

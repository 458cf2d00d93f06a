import { TritonError } from '../errors.ts'
import { type DataType, dataTypeSizes } from './data-type.ts'
import { elementCount, shapeText } from './shape.ts'
import { Tensor } from './tensor.ts'

/** Bytes before the content of a BYTES element. */
const lengthPrefix = 4

/**
 * A tensor of zeros, false values or empty strings.
 * @throws TritonError INVALID_ARG when there is no memory for it.
 */
export function zeroTensor(datatype: DataType, shape: readonly number[]): Tensor {
  const byteSize = elementCount(shape) * (dataTypeSizes[datatype] || lengthPrefix)
  try {
    return Tensor.fromBytes(datatype, shape, new Uint8Array(byteSize))
  } catch (cause) {
    const message = `a tensor ${datatype} ${shapeText(shape)} of ${byteSize} bytes is too large`
    throw new TritonError('INVALID_ARG', message, { cause })
  }
}

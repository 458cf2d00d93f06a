import { TritonError } from '../errors.ts'
import { packBytes } from './bytes.ts'
import { dataTypeSizes } from './data-type.ts'
import type { ModelSignature } from './model-signature.ts'
import { Tensor } from './tensor.ts'

/**
 * The tensor of a raw binary request: all bytes are the model's only input, a batch dimension is 1 and a single -1 is
 * deduced from the number of bytes. Source: Triton, protocol extension "binary data", raw binary request.
 * @throws TritonError INVALID_ARG when the shape cannot be deduced.
 */
export function rawInputTensor(signature: ModelSignature, bytes: Uint8Array, rid: string): Map<string, Tensor> {
  const { inputs, modelName, maxBatchSize } = signature
  const [input] = inputs.values()
  if (input === undefined || inputs.size > 1) {
    throw new TritonError(
      'INVALID_ARG',
      `${rid}Raw request must only have 1 input (found 1) to be deduced but got ${inputs.size} inputs in '${modelName}' model configuration`,
    )
  }
  const { name, datatype, dims } = input
  const variable = dims.filter((dim) => dim === -1).length
  if (variable > 1) {
    throw new TritonError(
      'INVALID_ARG',
      `${rid}The shape of the raw input '${name}' can not be deduced because there are more than one variable-sized dimension`,
    )
  }
  const batch = maxBatchSize > 0 ? [1] : []
  const fixed = dims.reduce((product, dim) => (dim === -1 ? product : product * dim), 1)
  if (datatype === 'BYTES') {
    if (variable > 0 || fixed !== 1) {
      throw new TritonError(
        'INVALID_ARG',
        `${rid}For BYTE datatype raw input '${name}', the model must have input shape [1]`,
      )
    }
    return new Map([[name, Tensor.fromBytes(datatype, [...batch, ...dims], packBytes([bytes]))]])
  }
  const deduced = Math.floor(bytes.byteLength / fixed / dataTypeSizes[datatype])
  const shape = [...batch, ...dims.map((dim) => (dim === -1 ? deduced : dim))]
  return new Map([[name, Tensor.fromBytes(datatype, shape, bytes)]])
}

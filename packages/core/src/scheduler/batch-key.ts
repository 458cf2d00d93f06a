import type { ModelConfig, ModelInput } from '../config/model-config.ts'
import type { Tensor } from '../request/tensor.ts'

/** The text that two requests share when they may be in one batch. */
export type BatchKey = (inputs: ReadonlyMap<string, Tensor>) => string

/**
 * A batch needs the same set of inputs where any is optional, equal shapes beside the batch dimension where a shape
 * varies and is not ragged, and equal content of shape tensors.
 */
export function batchKeyOf(config: ModelConfig): BatchKey {
  const hasOptional = config.input.some(({ optional }) => optional)
  const firstDim = config.maxBatchSize > 0 ? 1 : 0
  const checked = config.input.filter((input) => hasOptional || needsEqualShapes(input))
  return (inputs) => {
    let key = ''
    for (const input of checked) {
      const tensor = inputs.get(input.name)
      if (tensor !== undefined) key += `+${inputKey(input, tensor, firstDim)}`
      key += ';'
    }
    return key
  }
}

const needsEqualShapes = ({ isShapeTensor, allowRaggedBatch, dims }: ModelInput): boolean =>
  isShapeTensor || (!allowRaggedBatch && dims.includes(-1))

function inputKey(input: ModelInput, tensor: Tensor, firstDim: number): string {
  if (!needsEqualShapes(input)) return ''
  let key = ''
  for (let i = firstDim; i < tensor.shape.length; i++) key += `${tensor.shape[i]},`
  return input.isShapeTensor ? `${key}:${Buffer.from(tensor.bytes).toString('latin1')}` : key
}

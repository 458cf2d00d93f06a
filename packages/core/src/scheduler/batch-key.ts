import type { ModelConfig, ModelInput } from '../config/model-config.ts'
import type { Tensor } from '../request/tensor.ts'

/** The text that two requests share when they may be in one batch. One of a sequence has to have joined it. */
export type BatchKey = (inputs: ReadonlyMap<string, Tensor>) => string

/**
 * A batch needs the same set of inputs where any is optional, equal shapes beside the batch dimension where a shape
 * varies and is not ragged, and equal content of shape tensors. States need equal types and shapes: a backend may change
 * both from step to step, whatever the configuration says.
 */
export function batchKeyOf(config: ModelConfig): BatchKey {
  const hasOptional = config.input.some(({ optional }) => optional)
  const firstDim = config.maxBatchSize > 0 ? 1 : 0
  const checked = config.input.filter((input) => hasOptional || needsEqualShapes(input))
  const states = config.sequenceBatching?.state ?? []
  return (inputs) => {
    let key = ''
    for (const input of checked) {
      const tensor = inputs.get(input.name)
      if (tensor !== undefined) key += `+${inputKey(input, tensor, firstDim)}`
      key += ';'
    }
    for (const { inputName } of states) {
      const tensor = inputs.get(inputName)
      if (tensor !== undefined) key += `${tensor.datatype}:${dimsKey(tensor, 0)};`
    }
    return key
  }
}

const needsEqualShapes = ({ isShapeTensor, allowRaggedBatch, dims }: ModelInput): boolean =>
  isShapeTensor || (!allowRaggedBatch && dims.includes(-1))

function inputKey(input: ModelInput, tensor: Tensor, firstDim: number): string {
  if (!needsEqualShapes(input)) return ''
  const key = dimsKey(tensor, firstDim)
  return input.isShapeTensor ? `${key}:${Buffer.from(tensor.bytes).toString('latin1')}` : key
}

function dimsKey({ shape }: Tensor, from: number): string {
  let key = ''
  for (let i = from; i < shape.length; i++) key += `${shape[i]},`
  return key
}

import { TritonError } from '../errors.ts'
import type { ModelSignature } from '../request/model-signature.ts'
import { reshapeItem } from '../request/reshape.ts'
import { elementCount, shapeText } from '../request/shape.ts'
import type { Outputs } from './inference-response.ts'

/**
 * Gives every output that has a `reshape` the shape that the configuration's `dims` promise to callers.
 * @throws TritonError INTERNAL for an output that the model does not have or that cannot be reshaped.
 */
export function shapeResponse(signature: ModelSignature, outputs: Outputs): Outputs {
  let shaped: Record<string, Outputs[string]> | undefined
  for (const name in outputs) {
    const output = signature.outputs.get(name)
    const tensor = outputs[name] as Outputs[string]
    if (output === undefined) {
      throw new TritonError('INTERNAL', `unexpected inference output '${name}' for model '${signature.modelName}'`)
    }
    if (output.reshape === undefined) continue
    const batch = signature.maxBatchSize > 0 ? 1 : 0
    const shape = [
      ...tensor.shape.slice(0, batch),
      ...reshapeItem(tensor.shape.slice(batch), output.reshape, output.dims),
    ]
    if (elementCount(shape) !== elementCount(tensor.shape)) {
      throw new TritonError(
        'INTERNAL',
        `output '${name}' of shape ${shapeText(tensor.shape)} does not fit ${shapeText(shape)}`,
      )
    }
    shaped ??= { ...outputs }
    shaped[name] = tensor.reshape(shape)
  }
  return shaped ?? outputs
}

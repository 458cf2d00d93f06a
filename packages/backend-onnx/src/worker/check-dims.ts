import { type ModelConfig, TritonError } from '@triton-ts/core'

export const shapeText = (shape: readonly number[]): string => `[${shape.join(',')}]`

/**
 * Compares the shape of a tensor in the model with its dimensions in the configuration.
 * @param exact whether a variable dimension of the model must be variable in the configuration too.
 * @throws TritonError INVALID_ARG with Triton's text.
 */
export function checkDims(
  { name: model, maxBatchSize }: ModelConfig,
  tensor: string,
  modelShape: readonly number[],
  dims: readonly number[],
  exact: boolean,
): void {
  const batching = maxBatchSize > 0
  if (batching && modelShape[0] !== -1) {
    throw new TritonError(
      'INVALID_ARG',
      `model '${model}', tensor '${tensor}': for the model to support batching the shape should have at least 1 dimension and the first dimension must be -1; but shape expected by the model is ${shapeText(modelShape)}`,
    )
  }
  const expected = batching ? [-1, ...dims] : dims
  const fits =
    modelShape.length === expected.length &&
    modelShape.every((dim, index) => dim === expected[index] || (!exact && dim === -1))
  if (fits) return
  const description = batching
    ? `an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape ${shapeText(expected)}`
    : `shape ${shapeText(expected)}`
  throw new TritonError(
    'INVALID_ARG',
    `model '${model}', tensor '${tensor}': the model expects ${modelShape.length} dimensions (shape ${shapeText(modelShape)}) but the model configuration specifies ${expected.length} dimensions (${description})`,
  )
}

/** A scalar of the model can only be `[1]`s in the configuration. */
export function checkScalarDims(model: string, tensor: string, dims: readonly number[]): void {
  if (dims.every((dim) => dim === 1)) return
  throw new TritonError(
    'INVALID_ARG',
    `unable to load model '${model}', scalar tensor '${tensor}', should only provide 1 in the model configuration when the model doesn't support batching. Model configuration provided: ${shapeText(dims)}.`,
  )
}

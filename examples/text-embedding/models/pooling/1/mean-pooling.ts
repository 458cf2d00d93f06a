import { type Tensor, tensor } from '@triton-ts/core'

/**
 * The mean of the vectors of each text, without those of the filling.
 * @param tokens FP32 of shape [texts, tokens, size]
 * @param mask INT64 of shape [texts, tokens], 1 for a token
 * @returns of shape [texts, size]
 */
export function meanOfTokens(tokens: Tensor, mask: Tensor): Tensor<'FP32'> {
  const [texts = 0, length = 0, size = 0] = tokens.shape
  const [from, counts] = [tokens.data as Float32Array, mask.data as BigInt64Array]
  const means = new Float32Array(texts * size)
  for (let text = 0; text < texts; text++) {
    const mean = means.subarray(text * size, (text + 1) * size)
    let count = 0
    for (let token = text * length; token < (text + 1) * length; token++) {
      if (counts[token] === 0n) continue
      for (let i = 0; i < size; i++) mean[i]! += from[token * size + i]!
      count++
    }
    for (let i = 0; i < size; i++) mean[i]! /= count
  }
  return tensor('FP32', [texts, size], means)
}

/** Divides each vector of [texts, size] by its length. */
export function toLengthOne({ shape, data }: Tensor<'FP32'>): Tensor<'FP32'> {
  const [texts = 0, size = 0] = shape
  const vectors = Float32Array.from(data)
  for (let text = 0; text < texts; text++) {
    const vector = vectors.subarray(text * size, (text + 1) * size)
    const length = Math.hypot(...vector)
    for (let i = 0; i < size; i++) vector[i]! /= length
  }
  return tensor('FP32', [texts, size], vectors)
}

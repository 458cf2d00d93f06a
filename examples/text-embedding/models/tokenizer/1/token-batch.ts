import { type Tensor, tensor } from '@triton-ts/core'

/** The inputs of an encoder of BERT's kind, each of shape [texts, tokens of the longest text]. */
export interface TokenBatch extends Readonly<Record<string, Tensor>> {
  readonly input_ids: Tensor<'INT64'>
  readonly attention_mask: Tensor<'INT64'>
  readonly token_type_ids: Tensor<'INT64'>
}

/**
 * Texts of different lengths as one batch: shorter ones are filled up with zeros, which the mask tells apart.
 * @param longest tokens that are kept of a text; the last one, which marks the end, always is
 */
export function tokenBatch(texts: readonly (readonly number[])[], longest: number): TokenBatch {
  const kept = texts.map((ids) => (ids.length > longest ? [...ids.slice(0, longest - 1), ids.at(-1)!] : ids))
  const length = Math.max(...kept.map((ids) => ids.length))
  const zeros = () => tensor('INT64', [kept.length, length], new BigInt64Array(kept.length * length))
  const batch = { input_ids: zeros(), attention_mask: zeros(), token_type_ids: zeros() }
  for (const [text, ids] of kept.entries()) {
    for (const [i, id] of ids.entries()) batch.input_ids.data[text * length + i] = BigInt(id)
    batch.attention_mask.data.fill(1n, text * length, text * length + ids.length)
  }
  return batch
}

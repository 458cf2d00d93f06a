import { type DataType, Tensor, TritonError } from '@triton-ts/core'

/** Triton's bound on the work for one request. */
const maxElements = 1_000_000

const unsupported: ReadonlySet<DataType> = new Set(['BOOL', 'FP16', 'BF16', 'BYTES'])

type Scores = Exclude<Tensor['data'], readonly unknown[]>

/**
 * Replaces a tensor by the best `classes` classes of each item, as BYTES `value:index[:label]`, best first, of equal
 * ones the lower index first, NaN last.
 * @param batched whether the first dimension counts items.
 * @throws TritonError INVALID_ARG for a type that cannot be ranked, for too many elements and for none.
 */
export function classify(
  name: string,
  output: Tensor,
  classes: number,
  batched: boolean,
  label: (index: number) => string,
): Tensor<'BYTES'> {
  if (unsupported.has(output.datatype)) {
    throw new TritonError(
      'INVALID_ARG',
      `class result not available for output due to unsupported type '${output.datatype}'`,
    )
  }
  const batch = batched && output.shape.length > 0 ? (output.shape[0] as number) : undefined
  const scores = output.data as Scores
  const perItem = batch === undefined ? scores.length : scores.length / batch
  if (!(perItem >= 1)) throw new TritonError('INVALID_ARG', `output '${name}' has no elements to classify`)
  if (perItem > maxElements) throw new TritonError('INVALID_ARG', 'classification output tensor too large')
  const count = Math.min(classes, perItem)
  const isFloat = output.datatype === 'FP32' || output.datatype === 'FP64'
  const lines: string[] = []
  for (let start = 0; start < scores.length; start += perItem) {
    for (const index of best(scores, start, perItem, count)) {
      const value = scores[start + index] as number | bigint
      const text = label(index)
      lines.push(`${isFloat ? fixed(value as number) : value}:${index}${text === '' ? '' : `:${text}`}`)
    }
  }
  return Tensor.of('BYTES', batch === undefined ? [count] : [batch, count], lines)
}

/** Indices of the `count` highest scores, in order. */
function best(scores: Scores, start: number, size: number, count: number): Iterable<number> {
  const score = (index: number): number | bigint => scores[start + index] as number | bigint
  const isNaNAt = (index: number): boolean => Number.isNaN(score(index))
  const beats = (a: number, b: number): boolean => score(a) > score(b) || (isNaNAt(b) && !isNaNAt(a))
  if (count > 64) {
    const indices = Uint32Array.from({ length: size }, (_, i) => i)
    indices.sort((a, b) => (beats(a, b) ? -1 : beats(b, a) ? 1 : a - b))
    return indices.subarray(0, count)
  }
  // Few are wanted: keep those in order, and let most scores fail at the first comparison.
  const indices: number[] = []
  for (let index = 0; index < size; index++) {
    if (indices.length === count && !beats(index, indices[count - 1] as number)) continue
    let place = Math.min(indices.length, count - 1)
    while (place > 0 && beats(index, indices[place - 1] as number)) {
      indices[place] = indices[place - 1] as number
      place--
    }
    indices[place] = index
  }
  return indices
}

/** A number with six decimals, as C's `%f` prints it. */
function fixed(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0.000000'
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000000`
  const text = value.toFixed(6)
  // Odd multiples of 1/128 lie half way; C rounds them to the even digit, `toFixed` away from 0.
  const digit = Number(text.at(-1))
  return Math.abs(value * 128) % 2 === 1 && digit % 2 === 1 ? text.slice(0, -1) + (digit - 1) : text
}

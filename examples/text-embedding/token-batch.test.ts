import { expect, test } from 'vitest'
import { tokenBatch } from './models/tokenizer/1/token-batch.ts'

const numbers = (data: BigInt64Array) => [...data].map(Number)

test('texts of different lengths are filled up', () => {
  const { input_ids, attention_mask, token_type_ids } = tokenBatch(
    [
      [101, 7592, 102],
      [101, 2129, 2079, 1045, 102],
    ],
    256,
  )
  expect(input_ids.shape).toEqual([2, 5])
  expect(numbers(input_ids.data)).toEqual([101, 7592, 102, 0, 0, 101, 2129, 2079, 1045, 102])
  expect(numbers(attention_mask.data)).toEqual([1, 1, 1, 0, 0, 1, 1, 1, 1, 1])
  expect(numbers(token_type_ids.data)).toEqual(new Array(10).fill(0))
})

test('a long text is cut and keeps its end', () => {
  const { input_ids, attention_mask } = tokenBatch(
    [
      [101, 1, 2, 3, 4, 102],
      [101, 102],
    ],
    4,
  )
  expect(numbers(input_ids.data)).toEqual([101, 1, 2, 102, 101, 102, 0, 0])
  expect(numbers(attention_mask.data)).toEqual([1, 1, 1, 1, 1, 1, 0, 0])
})

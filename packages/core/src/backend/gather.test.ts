import { expect, test } from 'vitest'
import { tensor } from '../request/tensor.ts'
import { configOf, floats, request, valuesOf } from './fixtures/batch.ts'
import { collectInputs, gatherInput, gatherInputs } from './gather.ts'

const ragged = configOf(`
  max_batch_size: 8
  input { name: "A" data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true }
  input { name: "B" data_type: TYPE_STRING dims: -1 allow_ragged_batch: true }
  input { name: "C" data_type: TYPE_FP32 dims: 1 }
  output { name: "OUT" data_type: TYPE_FP32 dims: -1 }
  batch_input { kind: BATCH_ELEMENT_COUNT target_name: "N" data_type: TYPE_INT32 source_input: "A" }`)

test('one request: the very tensor', () => {
  const only = floats([1, 2], 1, 2)
  expect(gatherInput([request({ A: only })], 'A')).toBe(only)
})

test('several requests are joined along the batch dimension', () => {
  const joined = gatherInput([request({ A: floats([1, 2], 1, 2) }), request({ A: floats([2, 2], 3, 4, 5, 6) })], 'A')
  expect(joined?.shape).toEqual([3, 2])
  expect(valuesOf(joined)).toEqual([1, 2, 3, 4, 5, 6])
})

test('a ragged input loses the batch dimension, whatever the batch of each request', () => {
  const requests = [request({ A: floats([1, 3], 1, 2, 3) }), request({ A: floats([2, 2], 4, 5, 6, 7) })]
  const joined = gatherInput(requests, 'A', { ragged: true })
  expect(joined?.shape).toEqual([7])
  expect(valuesOf(joined)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('a ragged input of a single request is flat too, and not copied', () => {
  const only = floats([2, 2], 1, 2, 3, 4)
  const flat = gatherInput([request({ A: only })], 'A', { ragged: true })
  expect(flat?.shape).toEqual([4])
  expect(flat?.data).toBe(only.data)
})

test('an optional input that is left out stays out', () => {
  expect(gatherInput([request({}), request({})], 'A')).toBeUndefined()
  expect(gatherInput([], 'A')).toBeUndefined()
  expect(gatherInputs(ragged, [])).toEqual(new Map())
})

test('an input that only some requests have is an error', () => {
  expect(() => gatherInput([request({ A: floats([1], 1) }), request({})], 'A')).toThrow(
    "input 'A' is missing in a request of the batch",
  )
})

test('an input whose shapes differ, and which is not ragged, is an error', () => {
  const requests = [request({ A: floats([1, 2], 1, 2) }), request({ A: floats([1, 3], 1, 2, 3) })]
  expect(() => gatherInput(requests, 'A')).toThrow(
    "input 'A' has the shapes [1,2] and [1,3] in one batch and cannot be joined",
  )
})

test.each([false, true])('an input whose types differ, as those of states may, is an error: ragged %s', (ragged) => {
  const requests = [request({ A: floats([1, 1], 1) }), request({ A: tensor('INT32', [1, 1], Int32Array.of(1)) })]
  expect(() => gatherInput(requests, 'A', { ragged })).toThrow(
    "input 'A' has the types FP32 and INT32 in one batch and cannot be joined",
  )
})

test('everything a model gets for a batch: ragged, plain and batch inputs', () => {
  const inputs = gatherInputs(ragged, [
    request({ A: floats([1, 3], 1, 2, 3), B: tensor('BYTES', [1, 1], ['x']), C: floats([1, 1], 7) }),
    request({ A: floats([1, 1], 4), B: tensor('BYTES', [1, 2], ['', 'yz']), C: floats([1, 1], 8) }),
  ])
  expect([...inputs].map(([name, { datatype, shape }]) => [name, datatype, shape])).toEqual([
    ['A', 'FP32', [4]],
    ['B', 'BYTES', [3]],
    ['C', 'FP32', [2, 1]],
    ['N', 'INT32', [2]],
  ])
  expect(valuesOf(inputs.get('A'))).toEqual([1, 2, 3, 4])
  expect(inputs.get('B')?.strings()).toEqual(['x', '', 'yz'])
  expect(valuesOf(inputs.get('C'))).toEqual([7, 8])
  expect(valuesOf(inputs.get('N'))).toEqual([3, 1])
})

test('inputs that the configuration does not list, such as sequence controls, are there as well', () => {
  const config = configOf('max_batch_size: 8')
  const requests = [true, false].map((start) =>
    request({ START: tensor('BOOL', [1, 1], Uint8Array.of(Number(start))) }),
  )
  expect(valuesOf(gatherInputs(config, requests).get('START'))).toEqual([1, 0])
})

test('collected inputs are the tensors of the requests', () => {
  const tensors = [floats([1, 1], 1), floats([2, 1], 2, 3)]
  const [collected] = collectInputs(
    configOf('max_batch_size: 8'),
    tensors.map((A) => request({ A })),
  )
  expect(collected).toMatchObject({ name: 'A', datatype: 'FP32', shape: [3, 1] })
  expect(collected?.parts[0]).toBe(tensors[0])
  expect(collected?.parts[1]).toBe(tensors[1])
})

import { expect, test } from 'vitest'
import { type Tensor, tensor } from '../request/tensor.ts'
import type { ExecutionRequest } from './backend.ts'
import { gatherInput, scatterOutput } from './gather.ts'

const request = (batchSize: number, inputs: Record<string, Tensor>): ExecutionRequest =>
  ({ batchSize, inputs: new Map(Object.entries(inputs)) }) as unknown as ExecutionRequest

const floats = (shape: number[], ...data: number[]) => tensor('FP32', shape, new Float32Array(data))

test('one request: the very tensor, both ways', () => {
  const only = floats([1, 2], 1, 2)
  expect(gatherInput([request(1, { A: only })], 'A')).toBe(only)
  expect(scatterOutput([request(1, {})], only)[0]).toBe(only)
})

test('several requests are joined along the batch dimension and cut again', () => {
  const requests = [request(1, { A: floats([1, 2], 1, 2) }), request(2, { A: floats([2, 2], 3, 4, 5, 6) })]
  const joined = gatherInput(requests, 'A')
  expect(joined?.shape).toEqual([3, 2])
  expect([...(joined?.data ?? [])]).toEqual([1, 2, 3, 4, 5, 6])
  const parts = scatterOutput(requests, joined as Tensor)
  expect(parts.map(({ shape }) => shape)).toEqual([
    [1, 2],
    [2, 2],
  ])
  expect(parts.map(({ data }) => [...data])).toEqual([
    [1, 2],
    [3, 4, 5, 6],
  ])
})

test('strings are joined and cut by element', () => {
  const requests = [
    request(1, { A: tensor('BYTES', [1, 1], ['a']) }),
    request(2, { A: tensor('BYTES', [2, 1], ['bb', '']) }),
  ]
  const parts = scatterOutput(requests, gatherInput(requests, 'A') as Tensor)
  expect(parts.map((part) => part.strings())).toEqual([['a'], ['bb', '']])
})

test('an optional input that is left out stays out', () => {
  expect(gatherInput([request(1, {}), request(1, {})], 'A')).toBeUndefined()
})

test('an output of the wrong batch is an error', () => {
  expect(() => scatterOutput([request(1, {}), request(1, {})], floats([3, 1], 1, 2, 3))).toThrow(
    'output has batch dimension 3, but the batch has 2 items',
  )
})

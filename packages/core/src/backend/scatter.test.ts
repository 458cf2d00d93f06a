import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Tensor, tensor } from '../request/tensor.ts'
import { floats, request, valuesOf } from './fixtures/batch.ts'
import { gatherInput } from './gather.ts'
import { cutOutput, scatterOutput } from './scatter.ts'

const batch = (batchSize: number) => request({}, [], batchSize)

test('one request: the very tensor', () => {
  const only = floats([1, 2], 1, 2)
  expect(scatterOutput([batch(1)], only)[0]).toBe(only)
})

test('each request gets its rows, as views', () => {
  const output = floats([3, 2], 1, 2, 3, 4, 5, 6)
  const parts = scatterOutput([batch(1), batch(2)], output)
  expect(parts.map(({ shape }) => shape)).toEqual([
    [1, 2],
    [2, 2],
  ])
  expect(parts.map(valuesOf)).toEqual([
    [1, 2],
    [3, 4, 5, 6],
  ])
  expect(parts[1]?.bytes.buffer).toBe(output.bytes.buffer)
})

test('strings are cut by element', () => {
  const parts = scatterOutput([batch(1), batch(2)], tensor('BYTES', [3, 1], ['a', 'bb', '']))
  expect(parts.map((part) => part.strings())).toEqual([['a'], ['bb', '']])
})

test('an output of the wrong batch is an error', () => {
  expect(() => scatterOutput([batch(1), batch(1)], floats([3, 1], 1, 2, 3))).toThrow(
    'output has batch dimension 3, but the batch has 2 items',
  )
})

test('parts of any shapes lie one after the other; those beyond the end are missing', () => {
  const parts = cutOutput(floats([6], 1, 2, 3, 4, 5, 6), [[1, 2], [3], [0, 4], [2], [1]])
  expect(parts.map((part) => part?.shape)).toEqual([[1, 2], [3], [0, 4], undefined, undefined])
  expect(parts.slice(0, 3).map(valuesOf)).toEqual([[1, 2], [3, 4, 5], []])
})

test('what is gathered comes back when it is scattered', () => {
  const item = fc.record({ batch: fc.nat(4), strings: fc.boolean() })
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), fc.boolean(), (items, isText) => {
      let next = 0
      const requests = items.map(({ batch }) => {
        const values = Array.from({ length: batch * 2 }, () => next++)
        const data = isText ? tensor('BYTES', [batch, 2], values.map(String)) : floats([batch, 2], ...values)
        return request({ A: data })
      })
      const parts = scatterOutput(requests, gatherInput(requests, 'A') as Tensor)
      const texts = (part: Tensor | undefined) => (isText ? part?.strings() : valuesOf(part))
      expect(parts.map(texts)).toEqual(requests.map(({ inputs }) => texts(inputs.get('A'))))
      expect(parts.map(({ shape }) => shape)).toEqual(requests.map(({ inputs }) => inputs.get('A')?.shape))
    }),
  )
})

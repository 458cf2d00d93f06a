import { expect, test } from 'vitest'
import { writeExact } from './exact-json.ts'
import { bytesElement, generateBody, inferBody } from './request-body.ts'

const values = { name: 'A', datatype: 'FP32', shape: [2], data: [1, 2.5] }
const bytes = { name: 'B', datatype: 'BYTES', shape: [1], data: bytesElement(Uint8Array.of(7, 8)) }

test('values are JSON', () => {
  const { body, headers } = inferBody([values], {})
  expect(JSON.parse(body as string)).toEqual({ inputs: [values] })
  expect(headers).toEqual({})
})

test('bytes come behind the JSON, whose length a header tells', () => {
  const { body, headers } = inferBody([values, bytes], { priority: 1 })
  const all = body as Uint8Array
  const length = Number(headers['Inference-Header-Content-Length'])
  const { inputs, parameters } = JSON.parse(new TextDecoder().decode(all.subarray(0, length)))
  expect(inputs[1]).toEqual({ name: 'B', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: 6 } })
  expect(parameters).toEqual({ priority: 1 })
  expect([...all.subarray(length)]).toEqual([2, 0, 0, 0, 7, 8])
})

test('a model that streams gets a flat object', () => {
  const one = { name: 'TEXT', datatype: 'BYTES', shape: [1], data: ['hello'] }
  const { body } = generateBody([values, one], { max_tokens: 5 })
  expect(JSON.parse(body as string)).toEqual({ A: [1, 2.5], TEXT: 'hello', max_tokens: 5 })
  expect(() => generateBody([bytes], {})).toThrow('B: a model that streams takes no files here')
})

test('integers beyond 2^53 keep every digit', () => {
  expect(writeExact({ data: [2n ** 63n - 1n, [1, null]] })).toBe('{"data":[9223372036854775807,[1,null]]}')
})

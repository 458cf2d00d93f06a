import { expect, test } from 'vitest'
import type { DataType } from './data-type.ts'
import { type InputValue, toTensor } from './input-value.ts'
import type { ModelSignature } from './model-signature.ts'
import { tensor } from './tensor.ts'

function model(datatype: DataType, dims: readonly number[], maxBatchSize = 0): ModelSignature {
  const input = { name: 'A', datatype, dims, reshape: undefined, optional: false }
  return {
    modelName: 'm',
    maxBatchSize,
    inputs: new Map([['A', input]]),
    outputs: new Map(),
    outputNames: [],
    requiredInputs: 1,
    decoupled: false,
    answersInOrder: false,
    priorityLevels: 0,
    defaultPriority: 0,
    sequence: undefined,
  }
}

const circle: never[] = []
circle.push(circle as never)

test('a tensor stays as it is', () => {
  const made = tensor('FP32', [2], new Float32Array(2))
  expect(toTensor(model('FP32', [2]), 'A', made)).toBe(made)
})

test.each<[string, ModelSignature, InputValue, readonly number[], unknown[]]>([
  ['typed array, fixed dims', model('FP32', [2, 2]), new Float32Array([1, 2, 3, 4]), [2, 2], [1, 2, 3, 4]],
  ['typed array, batch of one', model('FP32', [2, 2], 8), new Float32Array(4), [1, 2, 2], [0, 0, 0, 0]],
  ['one open dimension', model('INT32', [-1, 3]), new Int32Array(6), [2, 3], [0, 0, 0, 0, 0, 0]],
  ['vector of any length', model('UINT8', [-1]), new Uint8Array(3), [3], [0, 0, 0]],
  [
    'nested lists',
    model('FP64', [-1, -1]),
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [2, 3],
    [1, 2, 3, 4, 5, 6],
  ],
  ['booleans', model('BOOL', [2]), [true, false], [2], [1, 0]],
  ['64-bit from numbers and bigints', model('INT64', [2]), [7, -8n], [2], [7n, -8n]],
  ['strings', model('BYTES', [1], 4), ['hello'], [1, 1], ['hello']],
  ['a Buffer, which is a Uint8Array', model('UINT8', [-1]), Buffer.from([1, 2]), [2], [1, 2]],
  ['empty list', model('FP32', [-1]), [], [0], []],
])('%s', (_, signature, value, shape, data) => {
  const made = toTensor(signature, 'A', value)
  expect(made.shape).toEqual(shape)
  expect([...(made.data as Iterable<unknown>)]).toEqual(data)
})

test.each<[string, ModelSignature, InputValue, string]>([
  ['wrong count', model('FP32', [2, 2]), new Float32Array(3), "3 flat values do not fit input 'A' of dims [2,2]"],
  ['two open dimensions', model('FP32', [-1, -1]), new Float32Array(4), 'pass nested lists or tensor'],
  [
    'wrong array',
    model('FP32', [2]),
    new Float64Array(2),
    "input 'A' of type FP32 needs a Float32Array, not a Float64Array",
  ],
  ['array for strings', model('BYTES', [2]), new Uint8Array(2), "input 'A' needs strings, not a Uint8Array"],
  [
    'uneven lists',
    model('FP32', [-1, -1]),
    [[1, 2], [3]],
    "the nested lists for input 'A' do not all have the same length",
  ],
  ['list beside value', model('FP32', [-1]), [1, [2]], 'do not all have the same length'],
  ['fraction for an integer', model('INT32', [1]), [1.5], "input 'A' of type INT32 cannot hold number 1.5"],
  ['text for a number', model('FP32', [1]), ['x'], "input 'A' of type FP32 cannot hold string x"],
  ['number for text', model('BYTES', [1]), [1], "input 'A' of type BYTES cannot hold number 1"],
  ['what the type cannot hold', model('INT8', [1]), [300], "input 'A' of type INT8 cannot hold number 300"],
  ['a negative number without sign', model('UINT64', [1]), [-1], "input 'A' of type UINT64 cannot hold number -1"],
  ['null', model('FP32', [1]), null as never, "input 'A' needs a Tensor, a typed array or a list, not object"],
  ['a bare number', model('FP32', [1]), 5 as never, "input 'A' needs a Tensor, a typed array or a list, not number"],
  ['deep lists', model('FP32', [1]), circle, "the lists for input 'A' are nested deeper than its dims [1]"],
  ['half floats', model('FP16', [1]), [1], 'needs a tensor over a Uint16Array of raw 16-bit values'],
])('%s is refused', (_, signature, value, text) => {
  expect(() => toTensor(signature, 'A', value)).toThrow(text)
})

test('an unknown input is named', () => {
  expect(() => toTensor(model('FP32', [1]), 'B', [1])).toThrow("unexpected inference input 'B' for model 'm'")
})

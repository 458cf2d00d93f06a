import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readElements } from './read-elements.ts'

test.each([
  ['[1, 2.5]', 'FP32', [1, 2.5], [2]],
  ['1, 2', 'INT32', [1, 2], [2]],
  ['[[1, 2], [3, 4], [5, 6]]', 'INT8', [1, 2, 3, 4, 5, 6], [3, 2]],
  ['[[1], [2, 3]]', 'INT8', [1, 2, 3], []],
  ['[]', 'FP32', [], [0]],
  ['["a", "b"]', 'BYTES', ['a', 'b'], [2]],
  ['true, 0, 1', 'BOOL', [true, false, true], [3]],
])('%s is read as %s', (text, datatype, elements, nesting) => {
  const read = readElements(text, datatype)
  expect(read.elements).toEqual(elements)
  if (nesting.length > 0) expect(read.nesting).toEqual(nesting)
})

test.each([
  ['1, x', 'FP32', 'not a list of values; write [1, 2.5]'],
  ['[one]', 'BYTES', 'not a list of values; write ["one", "two"]'],
  ['["1"]', 'FP32', '"1" is no FP32 value'],
  ['[1]', 'BYTES', '1 is no BYTES value'],
  ['[2]', 'BOOL', '2 is no BOOL value'],
  ['[null]', 'FP32', 'null is no FP32 value'],
])('%s for %s is refused', (text, datatype, message) => {
  expect(() => readElements(text, datatype)).toThrow(message)
})

test('what is read are the values in their order, however deep', () => {
  const tree = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.array(tie('tree'), { maxLength: 4 })),
  })).tree
  fc.assert(
    fc.property(fc.array(tree), (value) => {
      expect(readElements(JSON.stringify(value), 'INT64').elements).toEqual(value.flat(Number.POSITIVE_INFINITY))
    }),
  )
})

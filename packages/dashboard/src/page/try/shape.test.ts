import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shapeFor, shapeText, sizeOf } from './shape.ts'

test.each([
  [[-1], [3], 3, [3]],
  [[-1, 3], [6], 6, [2, 3]],
  [[-1, -1], [4], 4, [1, 4]],
  [[-1, -1], [2, 3], 6, [2, 3]],
  [[2, 2], [4], 4, [2, 2]],
  [[2, 2], [2, 2], 4, [2, 2]],
  [[], [], 1, []],
  [[-1], [0], 0, [0]],
])('%j takes lists of %j with %i values as %j', (dims, nesting, elements, shape) => {
  expect(shapeFor(dims, nesting, elements)).toEqual(shape)
})

test.each([
  [[2, 2], 3],
  [[-1, 2], 5],
  [[3], 0],
  [[], 2],
])('%j has no place for %i values', (dims, elements) => {
  expect(() => shapeFor(dims, [], elements)).toThrow(`do not fit ${shapeText(dims)}`)
})

test('a shape that is found has exactly the values', () => {
  const dims = fc.array(fc.constantFrom(-1, 1, 2, 3), { maxLength: 4 })
  fc.assert(
    fc.property(dims, fc.nat(100), (dims, elements) => {
      let shape: number[]
      try {
        shape = shapeFor(dims, [], elements)
      } catch {
        return
      }
      expect(sizeOf(shape)).toBe(elements)
      expect(shape.every((dim, i) => dims[i] === -1 || dims[i] === dim)).toBe(true)
    }),
  )
})

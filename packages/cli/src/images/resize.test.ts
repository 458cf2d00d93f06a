import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resize } from './resize.ts'

const grey = (width: number, height: number, data: readonly number[]) =>
  ({ width, height, channels: 1, data: new Uint8Array(data) }) as const

describe('one row', () => {
  test.each([
    ['halved: each pixel is weighed by its distance', [0, 100, 200, 100], 2, [71, 143]],
    ['doubled: between two centres', [0, 100], 4, [0, 25, 75, 100]],
    ['to one pixel', [0, 0, 90, 0, 0], 1, [24]],
    ['unchanged', [1, 2, 3], 3, [1, 2, 3]],
    ['from one pixel', [7], 3, [7, 7, 7]],
  ])('%s', (_, row, width, expected) => {
    expect([...resize(grey(row.length, 1, row), width, 1).data]).toEqual(expected)
  })
})

test('columns are resized as rows are', () => {
  expect([...resize(grey(1, 2, [0, 100]), 1, 4).data]).toEqual([0, 25, 75, 100])
})

test('channels do not mix', () => {
  const picture = { width: 2, height: 1, channels: 3, data: new Uint8Array([0, 10, 100, 0, 30, 200]) } as const
  expect([...resize(picture, 1, 1).data]).toEqual([0, 20, 150])
})

test('a plain colour stays, whatever the size', () => {
  const side = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(side, side, side, side, fc.nat(255), (width, height, toWidth, toHeight, colour) => {
      const plain = grey(width, height, Array<number>(width * height).fill(colour))
      const resized = resize(plain, toWidth, toHeight)
      expect(resized).toMatchObject({ width: toWidth, height: toHeight })
      expect(resized.data.every((value) => value === colour)).toBe(true)
    }),
  )
})

import { expect, test } from 'vitest'
import { resizeInto } from './models/ocr/1/picture.ts'

/** Two rows of three pixels; red counts up from 1, green is ten times that, blue is 100 more. */
const picture = {
  width: 3,
  height: 2,
  data: Uint8Array.from([1, 2, 3, 4, 5, 6].flatMap((value) => [value, 10 * value, 100 + value])),
}
const whole = { left: 0, top: 0, width: 3, height: 2 }
const plain = { mean: [0, 0, 0], deviation: [1 / 255, 1 / 255, 1 / 255] } as const

test('planes are blue, green, red', () => {
  const planes = new Float32Array(18)
  resizeInto(planes, picture, whole, { width: 3, height: 2 }, plain)
  expectClose(planes, [101, 102, 103, 104, 105, 106, 10, 20, 30, 40, 50, 60, 1, 2, 3, 4, 5, 6])
})

test('a part, larger', () => {
  const planes = new Float32Array(12)
  const right = { left: 1, top: 1, width: 2, height: 1 }
  resizeInto(planes, picture, right, { width: 4, height: 1 }, plain)
  // Pixels 5 and 6 in four steps; what is outside is as its neighbour: here pixel 4 is inside the picture.
  expectClose(planes.subarray(8), [4.75, 5.25, 5.75, 6])
})

test('smaller', () => {
  const planes = new Float32Array(3)
  resizeInto(planes, picture, whole, { width: 1, height: 1 }, plain)
  expectClose(planes, [103.5, 35, 3.5])
})

test('normalised, with room at the right', () => {
  const planes = new Float32Array(3 * 2 * 5).fill(9)
  const shape = { width: 3, height: 2, stride: 5 }
  resizeInto(planes, picture, whole, shape, { mean: [0, 0, 0.5], deviation: [1, 1, 0.5] })
  const red = (value: number) => value / 127.5 - 1
  expectClose(planes.subarray(20), [red(1), red(2), red(3), 9, 9, red(4), red(5), red(6), 9, 9])
})

function expectClose(actual: Float32Array, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length)
  for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, 3)
}

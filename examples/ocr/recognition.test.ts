import { tensor } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { detectorInput } from './models/ocr/1/detection.ts'
import { readings, recognizerInput } from './models/ocr/1/recognition.ts'

const characters = ['a', 'b', ' ']

/** The output of a recogniser that is 0.8 sure of each of these; `-` is the blank. */
function output(...lines: readonly string[]) {
  const columns = lines[0]!.length
  const data = lines.flatMap((line) =>
    [...line].flatMap((character) => ['-', ...characters].map((other) => (other === character ? 0.8 : 0.05))),
  )
  return tensor('FP32', [lines.length, columns, 4], Float32Array.from(data))
}

test('repetitions are one character, unless a blank is between them', () => {
  expect(readings(output('aab--b ', '-------'), characters)).toEqual([
    { text: 'abb ', score: expect.closeTo(0.8, 5) },
    { text: '', score: 0 },
  ])
})

test('lines of different lengths are one batch', () => {
  const picture = { width: 200, height: 50, data: new Uint8Array(200 * 50 * 3).fill(255) }
  const { shape, data } = recognizerInput(picture, [
    { left: 0, top: 0, width: 100, height: 24 },
    { left: 0, top: 24, width: 50, height: 24 },
  ])
  expect(shape).toEqual([2, 3, 48, 200])
  const row = (line: number) => [...data.subarray(line * 3 * 48 * 200, line * 3 * 48 * 200 + 200)]
  expect(row(0)).toEqual(new Array(200).fill(1))
  expect(row(1)).toEqual([...new Array(100).fill(1), ...new Array(100).fill(0)])
})

test.each([
  [640, 300, 640, 288],
  [5, 5, 32, 32],
  [1920, 1080, 960, 544],
  [100, 4000, 32, 960],
])('the detector sees a picture of %i × %i as %i × %i', (width, height, toWidth, toHeight) => {
  const input = detectorInput({ width, height, data: new Uint8Array(width * height * 3) })
  expect(input.shape).toEqual([1, 3, toHeight, toWidth])
  expect(input.data[0]).toBeCloseTo(-0.485 / 0.229, 4)
})

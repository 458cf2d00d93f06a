import { expect, test } from 'vitest'
import { type TextMap, textBoxes } from './models/ocr/1/text-boxes.ts'

/** A map of 100 × 60 pixels with text of a probability in these places: left, top, width, height. */
function mapOf(...places: readonly (readonly [number, number, number, number, number?])[]): TextMap {
  const map = { width: 100, height: 60, data: new Float32Array(6000) }
  for (const [left, top, width, height, probability = 0.9] of places) {
    for (let y = top; y < top + height; y++) map.data.fill(probability, y * 100 + left, y * 100 + left + width)
  }
  return map
}

const corners = (map: TextMap) =>
  textBoxes(map).map(({ left, top, width, height }) => [left, top, left + width, top + height])

test('nothing', () => {
  expect(textBoxes(mapOf())).toEqual([])
})

test('a line, grown on all sides', () => {
  // 1.5 times the area, 400, divided by the circumference, 100: 6 pixels.
  expect(corners(mapOf([20, 20, 40, 10]))).toEqual([[14, 14, 66, 36]])
})

test('a line at the border stays within the map', () => {
  expect(corners(mapOf([0, 0, 100, 10], [0, 45, 100, 15]))).toEqual([
    [0, 0, 100, 10 + (1.5 * 1000) / 220],
    [0, 45 - (1.5 * 1500) / 230, 100, 60],
  ])
})

test('what touches at an edge is one line, what touches at a corner is two', () => {
  expect(textBoxes(mapOf([10, 10, 10, 10], [20, 15, 10, 10]))).toHaveLength(1)
  expect(textBoxes(mapOf([10, 10, 10, 10], [20, 20, 10, 10]))).toHaveLength(2)
  // The end of a row and the begin of the next do not touch.
  expect(textBoxes(mapOf([90, 10, 10, 10], [0, 11, 10, 10]))).toHaveLength(2)
})

test('what is too faint or too flat is no line', () => {
  expect(textBoxes(mapOf([10, 10, 40, 10, 0.5]))).toEqual([])
  expect(textBoxes(mapOf([10, 10, 40, 10, 0.2]))).toEqual([])
  expect(textBoxes(mapOf([10, 10, 40, 2]))).toEqual([])
})

test('reading order: rows from top to bottom, each from left to right', () => {
  const map = mapOf([60, 4, 10, 6], [10, 6, 20, 6], [80, 40, 10, 8], [40, 42, 20, 8], [5, 41, 12, 8])
  expect(corners(map).map(([left]) => Math.round(left!))).toEqual([7, 57, 1, 36, 77])
})

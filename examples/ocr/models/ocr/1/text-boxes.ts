import type { Box } from './picture.ts'

/** For each pixel of a picture, row by row, how likely it belongs to text. */
export interface TextMap {
  readonly width: number
  readonly height: number
  readonly data: Float32Array
}

/** From this on a pixel is text. */
const isText = 0.3

/** What its pixels are on average, at least, in what is taken for a line. */
const isLine = 0.6

/** The least height of a line on the map. */
const leastHeight = 3

/** The detector finds the core of a line; the line is larger by this part of its area, divided by its circumference. */
const growth = 1.5

/**
 * Finds the lines of text: pixels of text that touch each other are one line. Lines that are about level are found;
 * text that is turned is not straightened.
 * @returns boxes on the map, in reading order
 */
export function textBoxes(map: TextMap): Box[] {
  const seen = new Uint8Array(map.data.length)
  const boxes: Box[] = []
  for (let start = 0; start < map.data.length; start++) {
    if (seen[start] === 1 || map.data[start]! < isText) continue
    const { box, score } = region(map, start, seen)
    if (box.height >= leastHeight && score >= isLine) boxes.push(grow(box, map))
  }
  return inReadingOrder(boxes)
}

/** The pixels of text around `start` that touch each other. */
function region({ width, data }: TextMap, start: number, seen: Uint8Array): { box: Box; score: number } {
  const pending = [start]
  seen[start] = 1
  let [left, right, top, bottom] = [width, 0, data.length, 0]
  let sum = 0
  let count = 0
  for (let pixel = pending.pop(); pixel !== undefined; pixel = pending.pop()) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
    sum += data[pixel]!
    count++
    for (const next of [x > 0 ? pixel - 1 : -1, x < width - 1 ? pixel + 1 : -1, pixel - width, pixel + width]) {
      if (seen[next] !== 0 || data[next]! < isText) continue
      seen[next] = 1
      pending.push(next)
    }
  }
  return { box: { left, top, width: right - left + 1, height: bottom - top + 1 }, score: sum / count }
}

/** Makes a box larger on all sides, within the map. */
function grow({ left, top, width, height }: Box, map: TextMap): Box {
  const margin = (growth * width * height) / (2 * (width + height))
  const [newLeft, newTop] = [Math.max(0, left - margin), Math.max(0, top - margin)]
  return {
    left: newLeft,
    top: newTop,
    width: Math.min(map.width, left + width + margin) - newLeft,
    height: Math.min(map.height, top + height + margin) - newTop,
  }
}

/** From top to bottom; boxes beside each other, whose middles are within the height of the first, from left to right. */
function inReadingOrder(boxes: readonly Box[]): Box[] {
  const middle = ({ top, height }: Box) => top + height / 2
  const rows: [Box, ...Box[]][] = []
  for (const box of boxes.toSorted((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1)
    if (row !== undefined && Math.abs(middle(row[0]) - middle(box)) < row[0].height / 2) row.push(box)
    else rows.push([box])
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.left - b.left))
}

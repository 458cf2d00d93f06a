import { type Tensor, tensor } from '@triton-ts/core'
import { type Box, type Picture, resizeInto } from './picture.ts'

/** Height of the lines that the recogniser reads. */
const lineHeight = 48

/** Every channel from -1 to 1. */
const normalisation = { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] } as const

/** Lines of a picture as one batch for the recogniser, of shape [n, 3, 48, width of the longest]. */
export function recognizerInput(picture: Picture, boxes: readonly Box[]): Tensor<'FP32'> {
  const widths = boxes.map(({ width, height }) => Math.max(1, Math.ceil((lineHeight * width) / height)))
  const stride = Math.max(...widths)
  const size = 3 * lineHeight * stride
  const data = new Float32Array(boxes.length * size)
  for (const [i, box] of boxes.entries()) {
    const shape = { width: widths[i]!, height: lineHeight, stride }
    resizeInto(data.subarray(i * size, (i + 1) * size), picture, box, shape, normalisation)
  }
  return tensor('FP32', [boxes.length, 3, lineHeight, stride], data)
}

/** What the recogniser read in a line. */
export interface Reading {
  readonly text: string
  /** How sure it is of the characters on average, 0 to 1; of nothing it is 0. */
  readonly score: number
}

/**
 * Reads the lines of a batch (greedy CTC): of each column the likeliest character, without repetitions and blanks.
 * @param output probabilities of shape [n, columns, characters + 1]; the first one is the blank
 */
export function readings({ shape, data }: Tensor, characters: readonly string[]): Reading[] {
  const [lines = 0, columns = 0, classes = 0] = shape
  return Array.from({ length: lines }, (_, line) => {
    const text: string[] = []
    let sum = 0
    let previous = 0
    for (let column = 0; column < columns; column++) {
      const start = (line * columns + column) * classes
      const { index, value } = likeliest((data as Float32Array).subarray(start, start + classes))
      if (index !== 0 && index !== previous) {
        text.push(characters[index - 1]!)
        sum += value
      }
      previous = index
    }
    return { text: text.join(''), score: text.length === 0 ? 0 : sum / text.length }
  })
}

function likeliest(probabilities: Float32Array): { index: number; value: number } {
  let index = 0
  for (let i = 1; i < probabilities.length; i++) if (probabilities[i]! > probabilities[index]!) index = i
  return { index, value: probabilities[index]! }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CodeContext, type ModelCode, type ModelRequest, TritonError } from '@triton-ts/core'
import { detectorInput } from './detection.ts'
import type { Box, Picture } from './picture.ts'
import { type Reading, readings, recognizerInput } from './recognition.ts'
import { textBoxes } from './text-boxes.ts'

/** `max_batch_size` of the recogniser. */
const largestBatch = 16

/** What the recogniser is less sure of is no text. */
const leastScore = 0.5

/** What is written in a box. */
interface Line extends Reading {
  readonly box: Box
}

export default class implements ModelCode {
  #characters: readonly string[] = []

  async initialize({ versionDirectory }: CodeContext): Promise<void> {
    const file = await readFile(join(versionDirectory, 'characters.txt'), 'utf8')
    // One a line; the space is not in the file.
    this.#characters = [...file.trimEnd().split(/\r?\n/), ' ']
  }

  async infer({ inputs: { IMAGE } }: ModelRequest, context: CodeContext) {
    const [height, width] = IMAGE!.shape as [number, number, number]
    if (height === 0 || width === 0) throw new TritonError('INVALID_ARG', 'the picture is empty')
    const picture = { width, height, data: IMAGE!.data as Uint8Array }
    const boxes = await this.#detect(picture, context)
    const lines = (await this.#read(picture, boxes, context)).filter(({ score }) => score >= leastScore)
    return {
      TEXT: lines.map(({ text }) => text),
      SCORE: lines.map(({ score }) => score),
      BOX: lines.map(({ box: { left, top, width, height } }) => [left, top, width, height]),
    }
  }

  /** Where the lines of text are. */
  async #detect(picture: Picture, context: CodeContext): Promise<Box[]> {
    const { 'sigmoid_0.tmp_0': map } = await context.infer('detector', { x: detectorInput(picture) })
    const [, , height, width] = map!.shape as [number, number, number, number]
    const [scaleX, scaleY] = [picture.width / width, picture.height / height]
    return textBoxes({ width, height, data: map!.data as Float32Array }).map((box) => ({
      left: box.left * scaleX,
      top: box.top * scaleY,
      width: box.width * scaleX,
      height: box.height * scaleY,
    }))
  }

  /** What is written there: all lines in one request, or in as few as the recogniser takes. */
  async #read(picture: Picture, boxes: readonly Box[], context: CodeContext): Promise<Line[]> {
    const lines: Line[] = []
    for (let i = 0; i < boxes.length; i += largestBatch) {
      const batch = boxes.slice(i, i + largestBatch)
      const { 'softmax_11.tmp_0': probabilities } = await context.infer('recognizer', {
        x: recognizerInput(picture, batch),
      })
      lines.push(...readings(probabilities!, this.#characters).map((reading, k) => ({ ...reading, box: batch[k]! })))
    }
    return lines
  }
}

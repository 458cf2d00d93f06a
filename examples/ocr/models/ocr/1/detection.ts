import { type Tensor, tensor } from '@triton-ts/core'
import { type Picture, resizeInto } from './picture.ts'

/** Longest side of a picture that the detector looks at: larger ones are made smaller. */
const longestSide = 960

/** The detector works on squares of this size. */
const cell = 32

/** Of ImageNet, in the order in which the detector was trained. */
const normalisation = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const

/** A whole picture as the input of the detector, of shape [1, 3, height, width]. */
export function detectorInput(picture: Picture): Tensor<'FP32'> {
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height))
  const cells = (length: number) => Math.max(cell, Math.round((length * scale) / cell) * cell)
  const [width, height] = [cells(picture.width), cells(picture.height)]
  const data = new Float32Array(3 * width * height)
  const whole = { left: 0, top: 0, width: picture.width, height: picture.height }
  resizeInto(data, picture, whole, { width, height }, normalisation)
  return tensor('FP32', [1, 3, height, width], data)
}

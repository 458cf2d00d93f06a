import type { Picture } from './picture.ts'

/** Which pixels make one pixel of the result: `weights[i]` of pixel `start + i`. They add up to 1. */
interface Window {
  readonly start: number
  readonly weights: Float64Array
}

/**
 * Resizes with a triangle filter that is as wide as a pixel of the result, so that every pixel counts when a picture
 * is made smaller. Where it is made larger this is plain bilinear interpolation.
 */
export function resize(picture: Picture, width: number, height: number): Picture {
  return resizeHeight(resizeWidth(picture, width), height)
}

function windows(from: number, to: number): Window[] {
  const scale = from / to
  const reach = Math.max(1, scale)
  return Array.from({ length: to }, (_, position) => {
    const center = (position + 0.5) * scale
    const start = Math.max(0, Math.round(center - reach))
    const end = Math.min(from, Math.round(center + reach))
    const weights = Float64Array.from({ length: end - start }, (_, i) =>
      Math.max(0, 1 - Math.abs((start + i + 0.5 - center) / reach)),
    )
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return { start, weights: weights.map((weight) => weight / sum) }
  })
}

function resizeWidth({ width, height, channels, data }: Picture, newWidth: number): Picture {
  const result = new Uint8Array(newWidth * height * channels)
  const columns = windows(width, newWidth)
  let to = 0
  for (let y = 0; y < height; y++) {
    for (const { start, weights } of columns) {
      for (let channel = 0; channel < channels; channel++) {
        result[to++] = weigh(data, (y * width + start) * channels + channel, channels, weights)
      }
    }
  }
  return { width: newWidth, height, channels, data: result }
}

function resizeHeight({ width, height, channels, data }: Picture, newHeight: number): Picture {
  const row = width * channels
  const result = new Uint8Array(newHeight * row)
  let to = 0
  for (const { start, weights } of windows(height, newHeight)) {
    for (let x = 0; x < row; x++) result[to++] = weigh(data, start * row + x, row, weights)
  }
  return { width, height: newHeight, channels, data: result }
}

function weigh(data: Uint8Array, start: number, stride: number, weights: Float64Array): number {
  let sum = 0
  for (let i = 0, from = start; i < weights.length; i++, from += stride) sum += weights[i]! * data[from]!
  return Math.round(sum)
}

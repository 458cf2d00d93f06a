/** Pixels row by row, each as red, green and blue from 0 to 255. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** A part of a picture, in pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** What a network subtracts from a channel and divides it by; a channel is from 0 to 1 before. */
export interface Normalisation {
  readonly mean: readonly [number, number, number]
  readonly deviation: readonly [number, number, number]
}

/**
 * Resizes a part of a picture, between its pixels linearly, and writes it as a network wants it: one plane after the
 * other, blue, green, red, normalised.
 * @param to planes of `height` rows of `stride` numbers; what lies right of `width` is left as it is
 */
export function resizeInto(
  to: Float32Array,
  picture: Picture,
  box: Box,
  { width, height, stride = width }: { width: number; height: number; stride?: number },
  { mean, deviation }: Normalisation,
): void {
  const columns = positions(box.left, box.width, width, picture.width)
  const rows = positions(box.top, box.height, height, picture.height)
  const { data } = picture
  for (let plane = 0; plane < 3; plane++) {
    const scale = 1 / (255 * deviation[plane]!)
    const offset = mean[plane]! / deviation[plane]!
    for (let y = 0; y < height; y++) {
      const row = rows[y]!
      const [upper, lower] = [row.before * picture.width, row.after * picture.width]
      let at = (plane * height + y) * stride
      for (let x = 0; x < width; x++) {
        const { before, after, share } = columns[x]!
        const pixel = (index: number) => data[3 * index + 2 - plane]!
        const above = pixel(upper + before) * (1 - share) + pixel(upper + after) * share
        const below = pixel(lower + before) * (1 - share) + pixel(lower + after) * share
        to[at++] = (above * (1 - row.share) + below * row.share) * scale - offset
      }
    }
  }
}

/** Between which two pixels of the picture a pixel of the result lies, and how much the second one counts. */
interface Position {
  readonly before: number
  readonly after: number
  readonly share: number
}

/** The centres of `count` pixels spread over `length` pixels from `start`, within a picture of `size` pixels. */
function positions(start: number, length: number, count: number, size: number): Position[] {
  return Array.from({ length: count }, (_, i) => {
    const centre = Math.min(Math.max(start + ((i + 0.5) * length) / count - 0.5, 0), size - 1)
    const before = Math.floor(centre)
    return { before, after: Math.min(before + 1, size - 1), share: centre - before }
  })
}

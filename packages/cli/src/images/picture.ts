import { readFile } from 'node:fs/promises'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'

/** Eight-bit pixels, row by row, the channels of a pixel side by side: 3 are RGB, 1 is grey. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
  readonly data: Uint8Array
}

/**
 * Reads a PNG or JPEG file as RGB. Transparency is dropped.
 * @throws Error that names the file.
 */
export async function readPicture(file: string): Promise<Picture> {
  const bytes = await readFile(file)
  try {
    return decodePicture(bytes)
  } catch (error) {
    throw new Error(`cannot read picture '${file}': ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Decodes a PNG or JPEG file as RGB. Transparency is dropped.
 * @throws Error when it is neither, or broken.
 */
export function decodePicture(bytes: Uint8Array): Picture {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(file, 0x89, 0x50, 0x4e, 0x47)) return withoutAlpha(PNG.sync.read(file))
  if (startsWith(file, 0xff, 0xd8)) return withoutAlpha(jpeg.decode(file, { useTArray: true }))
  throw new Error('it is neither PNG nor JPEG')
}

const startsWith = (file: Buffer, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => file[index] === byte)

function withoutAlpha({ width, height, data }: { width: number; height: number; data: Uint8Array }): Picture {
  const rgb = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = data[from]!
    rgb[to + 1] = data[from + 1]!
    rgb[to + 2] = data[from + 2]!
  }
  return { width, height, channels: 3, data: rgb }
}

/** Luma by ITU-R 601-2. */
export function toGrey({ width, height, channels, data }: Picture): Picture {
  if (channels === 1) return { width, height, channels, data }
  const grey = new Uint8Array(width * height)
  for (let to = 0, from = 0; to < grey.length; to++, from += 3) {
    grey[to] = Math.round(0.299 * data[from]! + 0.587 * data[from + 1]! + 0.114 * data[from + 2]!)
  }
  return { width, height, channels: 1, data: grey }
}

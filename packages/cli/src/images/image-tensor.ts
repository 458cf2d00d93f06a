import { type Tensor, tensor } from '@triton-ts/core'
import { type Picture, toGrey } from './picture.ts'
import { resize } from './resize.ts'

/** `NONE`: 0 to 255. `INCEPTION`: -1 to 1. `VGG`: minus the mean colour (123, 117, 104), or 128 for grey. */
export const scalings = ['NONE', 'INCEPTION', 'VGG'] as const

export type Scaling = (typeof scalings)[number]

/** The types that a picture can be turned into. */
const arrays = {
  UINT8: Uint8Array,
  INT8: Int8Array,
  UINT16: Uint16Array,
  INT16: Int16Array,
  INT32: Int32Array,
  FP32: Float32Array,
  FP64: Float64Array,
} as const

export type ImageType = keyof typeof arrays

export const isImageType = (datatype: string): datatype is ImageType => Object.hasOwn(arrays, datatype)

/** How a model wants its pictures. */
export interface ImageFormat {
  readonly datatype: ImageType
  /** Order of the dimensions: channels first or last. */
  readonly layout: 'NCHW' | 'NHWC'
  readonly channels: 1 | 3
  readonly height: number
  readonly width: number
}

const vggMeans: Readonly<Record<number, readonly number[]>> = { 1: [128], 3: [123, 117, 104] }

/**
 * A batch of pictures as a model's input, of shape [n, c, h, w] or [n, h, w, c]: resized, RGB or grey, scaled.
 * What Triton's image client does to a picture.
 */
export function imageTensor(pictures: readonly Picture[], format: ImageFormat, scaling: Scaling = 'NONE'): Tensor {
  const { channels, height, width } = format
  const size = channels * height * width
  const data = new arrays[format.datatype](pictures.length * size)
  for (const [i, picture] of pictures.entries()) {
    const resized = resize(channels === 1 ? toGrey(picture) : picture, width, height)
    writePixels(resized, format, scaling, data.subarray(i * size, (i + 1) * size))
  }
  const dims = format.layout === 'NCHW' ? [channels, height, width] : [height, width, channels]
  return tensor(format.datatype, [pictures.length, ...dims], data)
}

type Pixels = InstanceType<(typeof arrays)[ImageType]>

function writePixels({ data, channels }: Picture, { layout }: ImageFormat, scaling: Scaling, to: Pixels): void {
  const pixels = data.length / channels
  const [pixelStep, channelStep] = layout === 'NCHW' ? [1, pixels] : [channels, 1]
  for (let channel = 0; channel < channels; channel++) {
    const mean = vggMeans[channels]?.[channel] ?? 0
    for (let pixel = 0; pixel < pixels; pixel++) {
      const value = data[pixel * channels + channel]!
      to[pixel * pixelStep + channel * channelStep] = scale(value, scaling, mean)
    }
  }
}

function scale(value: number, scaling: Scaling, mean: number): number {
  if (scaling === 'INCEPTION') return value / 127.5 - 1
  return scaling === 'VGG' ? value - mean : value
}

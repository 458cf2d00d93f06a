import { TritonError } from '@triton-ts/core'
import type { BodyLimit } from '../universal.ts'

const hint = 'Use --http-max-input-size to increase the limit.'

/** The limit on JSON text. */
export const jsonLimit = (maxBytes: number): BodyLimit => ({
  maxBytes,
  tooLarge: (size) =>
    new TritonError(
      'INVALID_ARG',
      `request JSON size of ${size} bytes exceeds the maximum allowed input size of ${maxBytes} bytes. ${hint}`,
    ),
})

/** The limit on a raw binary request. */
export const rawLimit = (maxBytes: number): BodyLimit => ({
  maxBytes,
  tooLarge: (size) =>
    new TritonError(
      'INVALID_ARG',
      `Raw input has a byte_size (${size} bytes) that exceeds the maximum allowed value of ${maxBytes} bytes. ${hint}`,
    ),
})

/** The limit on a tensor in JSON. */
export function checkJsonTensorSize(name: string, size: number, maxBytes: number): void {
  if (size <= maxBytes) return
  throw new TritonError(
    'INVALID_ARG',
    `JSON input '${name}' has a byte_size (${size} bytes) that exceeds the maximum allowed value of ${maxBytes} bytes. ${hint}`,
  )
}

/** Triton counts a body in 32 bits; nothing larger is read. */
export const maxContentLength = 2 ** 31 - 1

/** The limit on a body with binary tensors. */
export const bodyLimit = (maxBytes: number): BodyLimit => ({
  maxBytes,
  tooLarge: (size) =>
    new TritonError(
      'INVALID_ARG',
      maxBytes === maxContentLength
        ? `Unable to parse Content-Length, value is out of range [ ${-maxContentLength - 1}, ${maxContentLength} ], got: ${size}`
        : `request size of ${size} bytes exceeds the maximum allowed body size of ${maxBytes} bytes. Use --http-max-body-size to increase the limit.`,
    ),
})

/** The limit on a compressed body. One that is so much larger than what may be in it is not worth reading. */
export const compressedLimit = (maxBytes: number): BodyLimit => ({
  ...decompressedLimit(maxBytes),
  maxBytes: 2 * maxBytes + 1024,
})

/** The limit on what a compressed body becomes. */
export const decompressedLimit = (maxBytes: number): BodyLimit => ({
  maxBytes,
  tooLarge: () =>
    new TritonError(
      'INVALID_ARG',
      `Decompressed data size exceeds the maximum allowed value of ${maxBytes} bytes. ${hint}`,
    ),
})

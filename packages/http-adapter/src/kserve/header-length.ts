import { TritonError } from '@triton-ts/core'

export const headerLengthName = 'Inference-Header-Content-Length'

/**
 * The length of the JSON in front of binary tensors: the whole content without the header, 0 for a raw binary request.
 * What is no number counts as 0, as with C's atoi.
 * @throws TritonError INVALID_ARG for a length beyond the content.
 */
export function parseHeaderLength(text: string | undefined, contentLength: number): number {
  if (text === undefined) return contentLength
  const length = Number.parseInt(text, 10) || 0
  if (Math.abs(length) > 2 ** 31 - 1) {
    throw new TritonError(
      'INVALID_ARG',
      `Unable to parse ${headerLengthName}, value is out of range [ ${-(2 ** 31)}, ${2 ** 31 - 1} ], got: ${text}`,
    )
  }
  if (length >= 0 && length <= contentLength) return length
  throw new TritonError('INVALID_ARG', `inference header size should be in range (0, ${contentLength}), got: ${text}`)
}

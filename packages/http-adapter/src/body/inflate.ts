import { createInflateRaw } from 'node:zlib'
import { TritonError } from '@triton-ts/core'
import type { BodyLimit } from '../universal.ts'

/**
 * Decompresses a gzip or deflate body, whichever it is, off the event loop. As with Triton the first gzip member is all
 * there is, and of damaged data what comes before the damage; the reader of the result finds what is missing.
 * @throws TritonError INVALID_ARG for an empty body, and as soon as the result is larger than the limit.
 */
export function inflate(bytes: Uint8Array, limit: BodyLimit): Promise<Uint8Array> {
  if (bytes.byteLength === 0) {
    return Promise.reject(new TritonError('INVALID_ARG', 'nothing to be decompressed'))
  }
  const start = dataStart(bytes)
  if (start === undefined) return Promise.resolve(new Uint8Array(0))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stream = createInflateRaw()
    const finish = (): void => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))
    stream.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > limit.maxBytes) {
        stream.destroy()
        reject(limit.tooLarge(size))
      } else chunks.push(chunk)
    })
    stream.on('end', finish)
    stream.on('error', finish)
    stream.end(bytes.subarray(start))
  })
}

/** Where the deflate data begins behind a gzip (RFC 1952) or zlib (RFC 1950) header; undefined for neither. */
function dataStart(bytes: Uint8Array): number | undefined {
  const [first = 0, second = 0, method, flags = 0] = bytes
  if (first !== 0x1f || second !== 0x8b) {
    const isZlib =
      (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0 && (second & 0x20) === 0
    return isZlib ? 2 : undefined
  }
  if (method !== 8 || (flags & 0xe0) !== 0) return undefined
  let at = 10
  if (flags & 4) at += 2 + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8))
  // File name and comment, each up to a NUL.
  for (const flag of [8, 16]) if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length
  if (flags & 2) at += 2
  return at
}

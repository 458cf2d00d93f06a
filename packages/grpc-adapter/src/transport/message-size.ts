import { TritonError } from '@triton-ts/core'
import type { MessageParts } from './method.ts'

/** Bytes that a message of gRPC can have, in Triton as here. */
export const maxMessageSize = 2 ** 31 - 1

/**
 * Bytes of a message.
 * @throws TritonError INVALID_ARG, with Triton's text, for one that cannot be sent.
 */
export function messageSize(parts: MessageParts): number {
  let size = 0
  for (const part of parts) size += part.byteLength
  if (size > maxMessageSize) {
    const text = `Response has byte size ${size} which exceeds gRPC's byte size limit ${maxMessageSize}.`
    throw new TritonError('INVALID_ARG', text)
  }
  return size
}

import { TritonError } from '../errors.ts'
import { elementEnd } from './bytes.ts'
import type { Tensor } from './tensor.ts'

/**
 * Checks that a BYTES tensor holds exactly `expected` whole elements. A tensor made from strings is counted without
 * packing it.
 * @throws TritonError INVALID_ARG with Triton's texts.
 */
export function checkBytesElements(tensor: Tensor, expected: number, name: string, model: string, rid: string): void {
  const { count, incomplete } = tensor.hasPackedBytes
    ? countPacked(tensor.bytes, expected, name, model, rid)
    : { count: tensor.data.length, incomplete: undefined }
  if (count > expected) {
    throw new TritonError(
      'INVALID_ARG',
      `${rid}unexpected number of string elements ${count} for inference input '${name}' for model '${model}', expecting ${expected}`,
    )
  }
  if (count < expected) {
    throw new TritonError(
      'INVALID_ARG',
      `${rid}expected ${expected} string elements for inference input '${name}' for model '${model}', got ${count}`,
    )
  }
  if (incomplete !== undefined) throw incomplete
}

interface PackedCount {
  /** Stops at the first element too many. */
  readonly count: number
  /** The last element is cut short; told only when the count is right, as Triton does. */
  readonly incomplete: TritonError | undefined
}

function countPacked(bytes: Uint8Array, expected: number, name: string, model: string, rid: string): PackedCount {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let offset = 0; offset < bytes.byteLength && count <= expected; ) {
    const left = bytes.byteLength - offset
    if (left < 4) {
      throw new TritonError(
        'INVALID_ARG',
        `${rid}incomplete string length indicator for inference input '${name}' for model '${model}', expecting 4 bytes but only ${left} bytes available. ` +
          'Please make sure the string length indicator is in one buffer.',
      )
    }
    count++
    const end = elementEnd(view, offset)
    if (end === undefined) {
      const text = `incomplete string data for inference input '${name}', expecting string of length ${view.getUint32(offset, true)} but only ${left - 4} bytes available`
      return { count, incomplete: new TritonError('INVALID_ARG', text) }
    }
    offset = end
  }
  return { count, incomplete: undefined }
}

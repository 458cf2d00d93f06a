import { TritonError } from '../errors.ts'

/** One element of a BYTES tensor as a caller writes it. */
export type BytesElement = string | Uint8Array

/**
 * BYTES elements in their wire form: each a 4-byte little-endian length and then its bytes (strings as UTF-8).
 * Source: Triton, protocol extension "binary data".
 */
export function packBytes(elements: readonly BytesElement[]): Uint8Array {
  let size = 0
  for (const element of elements)
    size += 4 + (typeof element === 'string' ? Buffer.byteLength(element) : element.byteLength)
  const packed = Buffer.allocUnsafeSlow(size)
  let offset = 0
  for (const element of elements) {
    const start = offset + 4
    if (typeof element === 'string') offset = start + packed.write(element, start)
    else {
      packed.set(element, start)
      offset = start + element.byteLength
    }
    packed.writeUInt32LE(offset - start, start - 4)
  }
  return packed
}

/**
 * The elements of a packed BYTES tensor, as views.
 * @throws TritonError INVALID_ARG when a length or the bytes behind it are cut short.
 */
export function unpackBytes(packed: Uint8Array): Uint8Array[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const elements: Uint8Array[] = []
  let offset = 0
  while (offset < packed.byteLength) {
    const end = elementEnd(view, offset)
    if (end === undefined) {
      throw new TritonError('INVALID_ARG', `BYTES data is cut short in element ${elements.length}, at byte ${offset}`)
    }
    elements.push(packed.subarray(offset + 4, end))
    offset = end
  }
  return elements
}

/** Where the element at `offset` ends, or undefined when it is cut short. */
export function elementEnd(view: DataView, offset: number): number | undefined {
  if (offset + 4 > view.byteLength) return undefined
  const end = offset + 4 + view.getUint32(offset, true)
  return end > view.byteLength ? undefined : end
}

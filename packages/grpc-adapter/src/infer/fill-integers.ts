import type { ProtoReader } from '../wire/proto-reader.ts'
import { contentsField, visitContents } from './contents-pieces.ts'

/** Which elements of `contents`, how many there are, and in how many bytes each is wanted. */
export interface IntegerElements {
  readonly field: number
  readonly width: number
  readonly count: number
}

/** Integers and booleans as little-endian elements of `width` bytes; bits above are dropped, as Triton does. */
export function fillIntegers(
  reader: ProtoReader,
  ranges: readonly number[],
  { field: wanted, width, count }: IntegerElements,
): Uint8Array {
  const buffer = new ArrayBuffer(count * width)
  const read = elementReader(reader, buffer, wanted, width)
  let at = 0
  visitContents(reader, ranges, (field, start, end) => {
    if (field !== wanted) return
    const behind = reader.position
    const outer = reader.end
    reader.position = start
    reader.end = end
    while (reader.hasMore) read(at++)
    reader.position = behind
    reader.end = outer
  })
  return new Uint8Array(buffer)
}

/** What reads one element into its place. */
function elementReader(reader: ProtoReader, buffer: ArrayBuffer, field: number, width: number): (at: number) => void {
  if (width === 8) {
    const words = new Uint32Array(buffer)
    return (at) => reader.copyUint64(words, 2 * at)
  }
  if (field === contentsField.bool) {
    const elements = new Uint8Array(buffer)
    return (at) => {
      elements[at] = reader.bool() ? 1 : 0
    }
  }
  const elements =
    width === 4 ? new Uint32Array(buffer) : width === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer)
  return (at) => {
    elements[at] = reader.uint32()
  }
}

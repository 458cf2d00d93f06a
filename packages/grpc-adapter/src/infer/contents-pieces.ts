import type { ProtoReader } from '../wire/proto-reader.ts'
import { skipField } from '../wire/skip-field.ts'
import { unparsable } from '../wire/unparsable.ts'
import { wireType } from '../wire/wire-type.ts'

/** Fields of `inference.InferTensorContents`. */
export const contentsField = { bool: 1, int: 2, int64: 3, uint: 4, uint64: 5, fp32: 6, fp64: 7, bytes: 8 } as const

/** Bytes of an element of `fp32_contents` and `fp64_contents`, 1 for the others. */
export const fixedSize = (field: number): number =>
  field === contentsField.fp32 ? 4 : field === contentsField.fp64 ? 8 : 1

/**
 * Goes through `contents`, which may come in several pieces and each list in one or many.
 * @param ranges where the pieces begin and end.
 * @param piece is told which field some elements belong to, and where they begin and end.
 * @throws GrpcError INTERNAL for bytes that are no such message.
 */
export function visitContents(
  reader: ProtoReader,
  ranges: readonly number[],
  piece: (field: number, start: number, end: number) => void,
): void {
  for (let i = 0; i < ranges.length; i += 2) {
    reader.position = ranges[i] as number
    reader.end = ranges[i + 1] as number
    while (reader.hasMore) {
      const tag = reader.tag()
      const field = tag >>> 3
      const isPiece = field <= contentsField.bytes && isElementType(field, tag & 7)
      if (isPiece && (tag & 7) === wireType.bytes) {
        const length = reader.length()
        const start = reader.take(length)
        piece(field, start, start + length)
      } else {
        const start = reader.position
        skipField(reader, tag)
        if (isPiece) piece(field, start, reader.position)
      }
    }
  }
}

/** Whether a field can be written so: in one piece, or each element for itself. */
function isElementType(field: number, type: number): boolean {
  if (type === wireType.bytes) return true
  if (field === contentsField.fp32) return type === wireType.fixed32
  if (field === contentsField.fp64) return type === wireType.fixed64
  return type === wireType.varint && field !== contentsField.bytes
}

/** How many elements of varints there are; each ends with a byte below 128. */
export function countVarints(bytes: Uint8Array, start: number, end: number): number {
  if (end > start && (bytes[end - 1] as number) > 0x7f) throw unparsable()
  let count = 0
  for (let at = start; at < end; at++) if ((bytes[at] as number) <= 0x7f) count++
  return count
}

import type { ProtoReader } from './proto-reader.ts'
import { unparsable } from './unparsable.ts'
import { wireType } from './wire-type.ts'

/** Groups that may lie in each other; the limit of protobuf for C++. */
const deepestGroup = 100

/**
 * Steps over a field that is not known, behind its tag.
 * @throws GrpcError INTERNAL where the bytes are no field.
 */
export function skipField(reader: ProtoReader, tag: number, depth = 0): void {
  switch (tag & 7) {
    case wireType.varint:
      reader.uint64()
      break
    case wireType.fixed64:
      reader.take(8)
      break
    case wireType.bytes:
      reader.take(reader.length())
      break
    case wireType.group:
      skipGroup(reader, tag >>> 3, depth + 1)
      break
    case wireType.fixed32:
      reader.take(4)
      break
    default:
      throw unparsable()
  }
}

function skipGroup(reader: ProtoReader, field: number, depth: number): void {
  if (depth > deepestGroup) throw unparsable()
  for (;;) {
    const tag = reader.tag()
    if ((tag & 7) !== wireType.groupEnd) skipField(reader, tag, depth)
    else if (tag >>> 3 === field) return
    else throw unparsable()
  }
}

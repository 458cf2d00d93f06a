import type { ParameterValue } from '@triton-ts/core'
import type { ProtoWriter } from '../wire/proto-writer.ts'
import { wireType } from '../wire/wire-type.ts'

/** Field numbers of an entry of a map. */
const entry = { key: 1, value: 2 } as const
/** Field numbers of `inference.InferParameter`. */
const choice = { bool: 1, int64: 2, string: 3, double: 4 } as const

/** An entry of a map of `InferParameter`. A number without a fraction is an `int64_param`. */
export function writeParameter(writer: ProtoWriter, field: number, name: string, value: ParameterValue): void {
  const place = writer.open(field)
  writer.string(entry.key, name)
  const inner = writer.open(entry.value)
  if (typeof value === 'boolean') {
    writer.tag(choice.bool, wireType.varint)
    writer.varint(value ? 1 : 0)
  } else if (typeof value === 'string') writer.string(choice.string, value)
  else if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    writer.tag(choice.int64, wireType.varint)
    writer.int64(value)
  } else {
    writer.tag(choice.double, wireType.fixed64)
    writer.double(value)
  }
  writer.close(inner)
  writer.close(place)
}

import { WorkerError } from './ort-error.ts'

/** One field of a protobuf message. */
export interface ProtoField {
  readonly number: number
  /** A varint's value; 0n for other kinds. */
  readonly integer: bigint
  /** Content of a length-delimited or fixed-size field. */
  readonly bytes: Uint8Array
  /** The whole field with its tag, as it stands in the message. */
  readonly raw: Uint8Array
}

const empty = new Uint8Array()

/** The fields of a message in their order. @throws WorkerError when the bytes are no message. */
export function* protoFields(message: Uint8Array): Generator<ProtoField> {
  const reader = { message, offset: 0 }
  while (reader.offset < message.byteLength) {
    const start = reader.offset
    const tag = Number(readVarint(reader))
    const field = { number: tag >>> 3, integer: 0n, bytes: empty as Uint8Array }
    const kind = tag & 7
    if (kind === 0) field.integer = readVarint(reader)
    else if (kind === 1) field.bytes = readBytes(reader, 8)
    else if (kind === 2) field.bytes = readBytes(reader, Number(readVarint(reader)))
    else if (kind === 5) field.bytes = readBytes(reader, 4)
    else throw malformed()
    yield { ...field, raw: message.subarray(start, reader.offset) }
  }
}

/** The integers of a repeated field, packed or not. */
export function integers({ integer, bytes, raw }: ProtoField): bigint[] {
  if (((raw[0] as number) & 7) === 0) return [integer]
  const reader = { message: bytes, offset: 0 }
  const values: bigint[] = []
  while (reader.offset < bytes.byteLength) values.push(readVarint(reader))
  return values
}

/** A length-delimited field as it stands in a message. */
export function lengthDelimited(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + 2), varint(content.byteLength), content])
}

interface Reader {
  readonly message: Uint8Array
  offset: number
}

function readVarint(reader: Reader): bigint {
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.message[reader.offset++]
    if (byte === undefined) throw malformed()
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  throw malformed()
}

function readBytes(reader: Reader, length: number): Uint8Array {
  const start = reader.offset
  reader.offset += length
  if (reader.offset > reader.message.byteLength) throw malformed()
  return reader.message.subarray(start, reader.offset)
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

const malformed = () => new WorkerError('INTERNAL', 'onnx runtime error 7: the model is not a valid ONNX file')

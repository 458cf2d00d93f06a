import type { StringCache } from '@triton-ts/protocol'
import { unparsable } from './unparsable.ts'

/** How a field is written. Source: protobuf, "Encoding". */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, group: 3, groupEnd: 4, fixed32: 5 } as const

/** Groups that may lie in each other; the limit of protobuf for C++. */
const deepestGroup = 100

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Goes through the fields of a protobuf message, front to back, without a copy. Names are found by their bytes instead
 * of being made anew.
 *
 * Every method throws GrpcError INTERNAL where the bytes are no message.
 */
export class ProtoReader {
  readonly bytes: Uint8Array
  /** The next byte. */
  position: number
  /** Where the message ends that is being read. */
  end: number
  readonly #names: StringCache
  #view: DataView | undefined

  constructor(bytes: Uint8Array, names: StringCache) {
    this.bytes = bytes
    this.position = 0
    this.end = bytes.byteLength
    this.#names = names
  }

  get hasMore(): boolean {
    return this.position < this.end
  }

  /** The number of the next field times 8, plus its wire type. */
  tag(): number {
    const tag = this.uint32()
    if (tag < 8) throw unparsable()
    return tag
  }

  /** A varint without all bits above 32, as protobuf drops them. */
  uint32(): number {
    const { bytes } = this
    let at = this.position
    let byte = this.#byteAt(at++)
    let value = byte & 0x7f
    for (let shift = 7; byte > 0x7f; shift += 7) {
      if (shift > 63) throw unparsable()
      byte = at < this.end ? (bytes[at] as number) : this.#byteAt(at)
      at++
      if (shift < 32) value |= (byte & 0x7f) << shift
    }
    this.position = at
    return value >>> 0
  }

  int32(): number {
    return this.uint32() | 0
  }

  bool(): boolean {
    const start = this.position
    if (this.uint32() !== 0) return true
    // Bits above 32 count, too.
    for (let at = start; at < this.position; at++) if (((this.bytes[at] as number) & 0x7f) !== 0) return true
    return false
  }

  /** Exact: a bigint where a number is not. */
  int64(): number | bigint {
    const value = this.uint64()
    if (typeof value === 'number') return value
    const signed = BigInt.asIntN(64, value)
    const number = Number(signed)
    return Number.isSafeInteger(number) ? number : signed
  }

  /** Exact: a bigint where a number is not. */
  uint64(): number | bigint {
    let low = 0
    let middle = 0
    let high = 0
    for (let i = 0; i < 10; i++) {
      const byte = this.#byteAt(this.position++)
      const bits = byte & 0x7f
      if (i < 4) low |= bits << (7 * i)
      else if (i < 8) middle |= bits << (7 * (i - 4))
      else high |= bits << (7 * (i - 8))
      if (byte > 0x7f) continue
      if (high === 0 && middle < 2 ** 25) return low + middle * 2 ** 28
      return BigInt.asUintN(64, BigInt(low) | (BigInt(middle) << 28n) | (BigInt(high) << 56n))
    }
    throw unparsable()
  }

  double(): number {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength)
    return this.#view.getFloat64(this.take(8), true)
  }

  /** UTF-8, as protobuf demands. */
  string(): string {
    const length = this.uint32()
    const start = this.take(length)
    const end = start + length
    const { bytes } = this
    for (let at = start; at < end; at++) if ((bytes[at] as number) > 0x7f) return decode(bytes.subarray(start, end))
    return this.#names.get(bytes, start, end, true)
  }

  /** Steps over so many bytes and says where they begin. */
  take(length: number): number {
    const start = this.position
    if (length > this.end - start) throw unparsable()
    this.position = start + length
    return start
  }

  /** Begins a message within this one. Returns what `leave` needs to go on behind it. */
  enter(): number {
    const outer = this.end
    const length = this.uint32()
    if (length > outer - this.position) throw unparsable()
    this.end = this.position + length
    return outer
  }

  leave(outer: number): void {
    this.end = outer
  }

  /** Steps over a field that is not known. */
  skip(tag: number, depth = 0): void {
    switch (tag & 7) {
      case wireType.varint:
        this.uint64()
        break
      case wireType.fixed64:
        this.take(8)
        break
      case wireType.bytes:
        this.take(this.uint32())
        break
      case wireType.group:
        this.#skipGroup(tag >>> 3, depth + 1)
        break
      case wireType.fixed32:
        this.take(4)
        break
      default:
        throw unparsable()
    }
  }

  #skipGroup(field: number, depth: number): void {
    if (depth > deepestGroup) throw unparsable()
    for (;;) {
      const tag = this.tag()
      if ((tag & 7) !== wireType.groupEnd) this.skip(tag, depth)
      else if (tag >>> 3 === field) return
      else throw unparsable()
    }
  }

  #byteAt(at: number): number {
    if (at >= this.end) throw unparsable()
    return this.bytes[at] as number
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch (error) {
    throw unparsable(error)
  }
}

import type { StringCache } from '@triton-ts/protocol'
import { unparsable } from './unparsable.ts'

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
  /** The varint that was read last: two pieces of 28 bits and the rest. */
  #low = 0
  #middle = 0
  #high = 0
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
    this.#varint()
    if (this.#high === 0 && this.#middle < 2 ** 25) return this.#low + this.#middle * 2 ** 28
    return BigInt.asUintN(64, BigInt(this.#low) | (BigInt(this.#middle) << 28n) | (BigInt(this.#high) << 56n))
  }

  /** All 64 bits of a varint, into two places of `words`: the lower ones first. */
  copyUint64(words: Uint32Array, at: number): void {
    this.#varint()
    words[at] = this.#low | (this.#middle << 28)
    words[at + 1] = (this.#middle >>> 4) | (this.#high << 24)
  }

  /** The size of what follows; it need not be there. */
  length(): number {
    const length = this.uint64()
    if (typeof length === 'bigint') throw unparsable()
    return length
  }

  double(): number {
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength)
    return this.#view.getFloat64(this.take(8), true)
  }

  /** UTF-8, as protobuf demands. */
  string(): string {
    const length = this.length()
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
    const length = this.length()
    if (length > outer - this.position) throw unparsable()
    this.end = this.position + length
    return outer
  }

  leave(outer: number): void {
    this.end = outer
  }

  #varint(): void {
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
      this.#low = low
      this.#middle = middle
      this.#high = high
      return
    }
    throw unparsable()
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

import { wireType } from './wire-type.ts'

const firstSize = 4096
/** Memory above this is not kept for the next message. */
const largestKept = 1 << 20
/** Bytes up to this size are copied, so that fewer pieces are sent. */
const smallBytes = 1024
/** Texts up to this length are written character by character, which is faster than a call. */
const shortText = 24

/** Room for `prefix`: a tag and the size of a message. */
export const prefixRoom = 9

/**
 * Writes protobuf messages, one after the other, into the same memory, out of which each is copied. What is large stays
 * where it is, as a part of its own.
 */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafeSlow(firstSize)
  /** Where the part begins that is being written. */
  #start = 0
  #end = 0
  #parts: Uint8Array[] = []

  /** @param room bytes that are kept free before it. */
  begin(room = 0): void {
    if (this.#buffer.byteLength > largestKept) this.#buffer = Buffer.allocUnsafeSlow(firstSize)
    this.#start = room
    this.#end = room
  }

  /** The message in pieces. */
  finish(): Uint8Array[] {
    this.#closePart()
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  /** Bytes since `begin`, while nothing large was among them. */
  get byteSize(): number {
    return this.#end - this.#start
  }

  /** Begins a message within this one. Returns what `close` needs. Nothing large may be written before that. */
  open(field: number): number {
    this.tag(field, wireType.bytes)
    this.#reserve(1)
    return this.#end++
  }

  /** Ends what `open` began: its size is known now. */
  close(place: number): void {
    const start = place + 1
    const size = this.#end - start
    const more = varintSize(size) - 1
    if (more > 0) {
      this.#reserve(more)
      this.#buffer.copyWithin(start + more, start, this.#end)
    }
    const end = this.#end + more
    this.#end = place
    this.varint(size)
    this.#end = end
  }

  /** Makes a field of another message of this one, before anything large was written. */
  prefix(field: number, byteSize: number): void {
    const end = this.#end
    const start = this.#start - 1 - varintSize(byteSize)
    this.#start = start
    this.#end = start
    this.tag(field, wireType.bytes)
    this.varint(byteSize)
    this.#end = end
  }

  tag(field: number, type: number): void {
    this.varint((field << 3) | type)
  }

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    this.#reserve(10)
    let rest = value
    while (rest > 0x7f) {
      this.#buffer[this.#end++] = (rest % 128) | 0x80
      rest = Math.floor(rest / 128)
    }
    this.#buffer[this.#end++] = rest
  }

  /** A whole number of 64 bits. */
  int64(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value)
      return
    }
    this.#reserve(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 0x7fn) {
      this.#buffer[this.#end++] = Number(rest & 0x7fn) | 0x80
      rest >>= 7n
    }
    this.#buffer[this.#end++] = Number(rest)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#end = this.#buffer.writeDoubleLE(value, this.#end)
  }

  /** A field with text. */
  string(field: number, text: string): void {
    this.tag(field, wireType.bytes)
    if (text.length > shortText || !this.#shortAscii(text)) {
      const size = Buffer.byteLength(text)
      this.varint(size)
      this.#reserve(size)
      this.#end += this.#buffer.write(text, this.#end)
    }
  }

  /** Size and characters of a text, if it has no others than ASCII. */
  #shortAscii(text: string): boolean {
    this.#reserve(1 + shortText)
    let at = this.#end
    this.#buffer[at++] = text.length
    for (let i = 0; i < text.length; i++) {
      const character = text.charCodeAt(i)
      if (character > 0x7f) return false
      this.#buffer[at++] = character
    }
    this.#end = at
    return true
  }

  /** A field with bytes; what is large is not copied. */
  bytes(field: number, bytes: Uint8Array): void {
    this.tag(field, wireType.bytes)
    this.varint(bytes.byteLength)
    if (bytes.byteLength > smallBytes) {
      this.#closePart()
      this.#parts.push(bytes)
      return
    }
    this.#reserve(bytes.byteLength)
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.byteLength
  }

  #closePart(): void {
    const size = this.byteSize
    if (size === 0) return
    const part = Buffer.allocUnsafe(size)
    this.#buffer.copy(part, 0, this.#start, this.#end)
    this.#parts.push(part)
    this.#start = this.#end
  }

  #reserve(size: number): void {
    if (this.#end + size <= this.#buffer.byteLength) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.byteLength, this.#end + size))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}

/** Bytes of a varint. */
export function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++
  return size
}

/** Bytes of a field with so many bytes, whose number is below 16. */
export const fieldSize = (byteSize: number): number => 1 + varintSize(byteSize) + byteSize

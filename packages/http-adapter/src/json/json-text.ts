import { isAscii } from 'node:buffer'
import { writeByteStrings } from './write-byte-strings.ts'
import { floatRoom, writeFloats } from './write-floats.ts'

/** Byte runs up to this size are made characters, so that a small answer is one string. */
const smallRun = 16 * 1024

/** JSON text that is written piece by piece: small pieces as characters, big ones as bytes that are never copied. */
export class JsonText {
  readonly #parts: Uint8Array[] = []
  readonly #scratch: Buffer
  #text = ''

  /** @param scratch memory for small runs, shared by texts that are written one after the other. */
  constructor(scratch: Buffer) {
    this.#scratch = scratch
  }

  static scratch(): Buffer {
    return Buffer.allocUnsafeSlow(smallRun)
  }

  add(text: string): void {
    this.#text += text
  }

  addFloats(values: Float32Array): void {
    const room = values.length * floatRoom
    const target = room <= smallRun ? this.#scratch : Buffer.allocUnsafeSlow(room)
    const end = writeFloats(values, target, 0)
    if (target === this.#scratch) this.#text += target.toString('latin1', 0, end)
    else this.#addBytes(target.subarray(0, end))
  }

  /**
   * The elements of a packed BYTES tensor.
   * @returns how many there were, or undefined when the bytes are cut short.
   */
  addByteStrings(packed: Uint8Array): number | undefined {
    const { count, bytes } = writeByteStrings(packed)
    if (bytes.byteLength <= smallRun && isAscii(bytes)) this.#text += bytes.toString('latin1')
    else this.#addBytes(bytes)
    return count
  }

  #addBytes(bytes: Uint8Array): void {
    this.#parts.push(Buffer.from(this.#text), bytes)
    this.#text = ''
  }

  /** One string with a character for each byte where that is cheap, else the bytes. */
  finish(): string | readonly Uint8Array[] {
    if (this.#parts.length === 0 && Buffer.byteLength(this.#text) === this.#text.length) return this.#text
    return [...this.#parts, Buffer.from(this.#text)]
  }
}

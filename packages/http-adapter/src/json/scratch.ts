/** More than this is given back after a request. */
const keptNumbers = 1 << 19
const keptBytes = 1 << 20

/** Memory that a parser collects array leaves in; reused from one document to the next. */
export class Scratch {
  numbers = new Float64Array(1024)
  numberCount = 0
  bytes = Buffer.allocUnsafeSlow(1024)
  byteCount = 0
  /** Integers of up to 64 bits that a double does not hold, by their place in `numbers`. */
  readonly bigIntegers = new Map<number, bigint>()

  /** Forgets everything, and gives back memory that only a very large document needed. Returns `bytes`. */
  reset(): Buffer {
    this.numberCount = 0
    this.byteCount = 0
    if (this.bigIntegers.size > 0) this.bigIntegers.clear()
    if (this.numbers.length > keptNumbers) this.numbers = new Float64Array(1024)
    if (this.bytes.length > keptBytes) this.bytes = Buffer.allocUnsafeSlow(1024)
    return this.bytes
  }

  /** Where the next leaf of `kind` will be. */
  position(kind: 'numbers' | 'strings' | 'booleans'): number {
    return kind === 'numbers' ? this.numberCount : this.byteCount
  }

  /** Doubles the room for numbers. */
  growNumbers(): Float64Array<ArrayBuffer> {
    const numbers = new Float64Array(this.numbers.length * 2)
    numbers.set(this.numbers)
    this.numbers = numbers
    return numbers
  }

  /** Makes room for `size` more bytes. */
  reserveBytes(size: number): void {
    const needed = this.byteCount + size
    if (needed <= this.bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    bytes.set(this.bytes.subarray(0, this.byteCount))
    this.bytes = bytes
  }
}

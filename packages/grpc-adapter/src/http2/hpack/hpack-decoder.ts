import { Http2Error } from '../http2-error.ts'
import { DynamicTable, entryOverhead } from './dynamic-table.ts'
import { decodeHuffman } from './huffman.ts'
import { staticTable } from './static-table.ts'

/** Bytes of the dynamic table that a client may use; the protocol's own default. */
const tableSize = 4096

/** Reads header blocks of one connection. Source: RFC 7541. */
export class HpackDecoder {
  readonly #table = new DynamicTable(tableSize)
  readonly #maxListSize: number
  #block: Buffer = Buffer.alloc(0)
  #at = 0

  /** @param maxListSize bytes of names and values, with 32 for each pair, that are kept of a block. */
  constructor(maxListSize: number) {
    this.#maxListSize = maxListSize
  }

  /**
   * @returns names and values in turn; undefined for a block that is too large, of which only the table remembers.
   * @throws Http2Error COMPRESSION_ERROR
   */
  decode(block: Buffer): string[] | undefined {
    this.#block = block
    this.#at = 0
    const headers: string[] = []
    let size = 0
    while (this.#at < block.byteLength) {
      const byte = block[this.#at] as number
      if (byte >= 0x20 && byte < 0x40) {
        if (headers.length > 0) throw broken('a table size after a header')
        this.#resize()
        continue
      }
      const [name, value] = this.#readField(byte)
      size += name.length + value.length + entryOverhead
      if (size <= this.#maxListSize) headers.push(name, value)
    }
    return size <= this.#maxListSize ? headers : undefined
  }

  #resize(): void {
    const size = this.#readInteger(5)
    if (size > tableSize) throw broken('a table size beyond the limit')
    this.#table.resize(size)
  }

  #readField(byte: number): readonly [name: string, value: string] {
    if (byte >= 0x80) return this.#entry(this.#readInteger(7))
    const isIndexed = byte >= 0x40
    const index = this.#readInteger(isIndexed ? 6 : 4)
    const name = index === 0 ? this.#readText() : this.#entry(index)[0]
    const entry = [name, this.#readText()] as const
    if (isIndexed) this.#table.add(entry)
    return entry
  }

  #entry(index: number): readonly [name: string, value: string] {
    const entry = index <= staticTable.length ? staticTable[index - 1] : this.#table.get(index - 1 - staticTable.length)
    if (entry === undefined) throw broken('an index without entry')
    return entry
  }

  #readText(): string {
    const isHuffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0
    const length = this.#readInteger(7)
    const end = this.#at + length
    if (end > this.#block.byteLength) throw broken('a text beyond the end')
    const bytes = this.#block.subarray(this.#at, end)
    this.#at = end
    const text = isHuffman ? decodeHuffman(bytes) : bytes.toString('latin1')
    if (text === undefined) throw broken('a text that is no Huffman code')
    return text
  }

  /** An integer whose first byte has `bits` bits of it. */
  #readInteger(bits: number): number {
    const mask = (1 << bits) - 1
    let value = this.#next() & mask
    if (value < mask) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#next()
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw broken('an integer that is too large')
  }

  #next(): number {
    const byte = this.#block[this.#at++]
    if (byte === undefined) throw broken('an end within a header')
    return byte
  }
}

const broken = (what: string): Http2Error => new Http2Error('COMPRESSION_ERROR', `header block with ${what}`)

/** Writes the protobuf wire format, field by field. */
export class ProtoWriter {
  readonly #chunks: Uint8Array[] = []

  /** A varint field; negative values are written as 64-bit two's complement. */
  integer(field: number, value: number): this {
    return this.#varint(BigInt(field << 3)).#varint(BigInt.asUintN(64, BigInt(value)))
  }

  /** A 32-bit float field. */
  float(field: number, value: number): this {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    return this.#varint(BigInt((field << 3) | 5)).#append(bytes)
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#varint(BigInt((field << 3) | 2))
      .#varint(BigInt(value.byteLength))
      .#append(value)
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value))
  }

  message(field: number, value: ProtoWriter): this {
    return this.bytes(field, value.toBytes())
  }

  toBytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#chunks))
  }

  #append(chunk: Uint8Array): this {
    this.#chunks.push(chunk)
    return this
  }

  #varint(value: bigint): this {
    const bytes: number[] = []
    let rest = value
    while (rest >= 0x80n) {
      bytes.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    bytes.push(Number(rest))
    return this.#append(Uint8Array.from(bytes))
  }
}

import { deserialize, serialize } from 'node:v8'

/** Bytes of the length that stands before a message, little-endian. */
export const headerSize = 4

/** A message with its length before it, for a stream of bytes. */
export function frame(message: unknown): Buffer {
  const body = serialize(message)
  const header = Buffer.alloc(headerSize)
  header.writeUInt32LE(body.byteLength)
  return Buffer.concat([header, body])
}

/** Cuts a stream of bytes into messages. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** Takes the next bytes. @returns the messages that are complete with them. */
  push(bytes: Buffer): unknown[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const messages: unknown[] = []
    while (this.#rest.byteLength >= headerSize) {
      const end = headerSize + this.#rest.readUInt32LE()
      if (this.#rest.byteLength < end) break
      messages.push(deserialize(this.#rest.subarray(headerSize, end)))
      this.#rest = this.#rest.subarray(end)
    }
    return messages
  }
}

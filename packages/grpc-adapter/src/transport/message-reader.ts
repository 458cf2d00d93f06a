import { GrpcError } from './grpc-status.ts'

/** A message as it came. */
export interface ReceivedMessage {
  readonly isCompressed: boolean
  readonly bytes: Uint8Array
}

/** One byte that says whether the message is compressed, and four of its length. */
const prefixSize = 5

/** A message of an announced size up to this is gathered in memory of that size at once. */
const trustedSize = 4 * 1024 * 1024

/** Beyond it there is memory for so many times what has come. */
const growth = 8

const nothing = new Uint8Array()

/** Cuts a stream of bytes into messages. One that comes in one piece is not copied, any other is copied once. */
export class MessageReader {
  readonly #maxSize: number
  readonly #prefix = new Uint8Array(prefixSize)
  #prefixLength = 0
  #size = 0
  #received = 0
  /** What has come; longer than that once there is more than one piece. */
  #bytes: Uint8Array = nothing

  /** @param maxSize bytes that a message may have, as it is sent. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  /** Whether the bytes so far end with a message. */
  get isAtBoundary(): boolean {
    return this.#prefixLength === 0
  }

  /**
   * Adds to `messages` those that end in these bytes.
   * @throws GrpcError RESOURCE_EXHAUSTED for a message beyond the limit, INTERNAL for what is none.
   */
  read(chunk: Uint8Array, messages: ReceivedMessage[]): void {
    let at = 0
    while (at < chunk.byteLength || (this.#prefixLength === prefixSize && this.#size === 0)) {
      if (this.#prefixLength < prefixSize) {
        this.#prefix[this.#prefixLength++] = chunk[at++] as number
        if (this.#prefixLength === prefixSize) this.#begin()
      } else {
        const end = Math.min(chunk.byteLength, at + this.#size - this.#received)
        this.#add(chunk.subarray(at, end))
        at = end
        if (this.#received === this.#size) messages.push(this.#finish())
      }
    }
  }

  #begin(): void {
    const [flag, a = 0, b = 0, c = 0, d = 0] = this.#prefix
    if (flag !== 0 && flag !== 1)
      throw new GrpcError('INTERNAL', `invalid message: it begins with ${flag}, not with 0 or 1`)
    this.#size = a * 2 ** 24 + (b << 16) + (c << 8) + d
    if (this.#size > this.#maxSize) {
      throw new GrpcError('RESOURCE_EXHAUSTED', `Received message larger than max (${this.#size} vs. ${this.#maxSize})`)
    }
  }

  #add(piece: Uint8Array): void {
    const received = this.#received + piece.byteLength
    // A message in one piece stays where it is.
    if (this.#received === 0) this.#bytes = piece
    else {
      if (received > this.#bytes.byteLength) this.#grow(received)
      this.#bytes.set(piece, this.#received)
    }
    this.#received = received
  }

  #grow(received: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#size, Math.max(trustedSize, growth * received)))
    larger.set(this.#bytes)
    this.#bytes = larger
  }

  #finish(): ReceivedMessage {
    const message = { isCompressed: this.#prefix[0] === 1, bytes: this.#bytes }
    this.#prefixLength = 0
    this.#received = 0
    this.#size = 0
    this.#bytes = nothing
    return message
  }
}

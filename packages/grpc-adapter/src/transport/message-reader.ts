import { GrpcError } from './grpc-status.ts'

/** A message as it came. */
export interface ReceivedMessage {
  readonly isCompressed: boolean
  readonly bytes: Uint8Array
}

/** One byte that says whether the message is compressed, and four of its length. */
const prefixSize = 5

/** A message of a declared size up to this is gathered in memory of that size; more is only trusted as it comes. */
const trustedSize = 256 * 1024 * 1024

const nothing = new Uint8Array()

/** Cuts a stream of bytes into messages. One that comes in one piece is not copied, any other is copied once. */
export class MessageReader {
  readonly #maxSize: number
  readonly #prefix = new Uint8Array(prefixSize)
  #prefixLength = 0
  #size = 0
  #received = 0
  #whole: Uint8Array | undefined
  #pieces: Uint8Array[] = []

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
    const isFirst = this.#received === 0
    if (this.#whole === undefined && !isFirst && this.#size <= trustedSize) {
      this.#whole = Buffer.allocUnsafeSlow(this.#size)
      this.#whole.set(this.#pieces[0] as Uint8Array)
    }
    if (this.#whole === undefined) this.#pieces.push(piece)
    else this.#whole.set(piece, this.#received)
    this.#received += piece.byteLength
  }

  #finish(): ReceivedMessage {
    const [first = nothing] = this.#pieces
    const bytes = this.#whole ?? (this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first)
    const message = { isCompressed: this.#prefix[0] === 1, bytes }
    this.#prefixLength = 0
    this.#received = 0
    this.#size = 0
    this.#whole = undefined
    this.#pieces = []
    return message
  }
}

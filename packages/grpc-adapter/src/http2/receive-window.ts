/** What a client may send until more of it is taken. Sizes in bytes. Source: RFC 9113, section 5.2. */
export class ReceiveWindow {
  readonly #size: number
  /** What the client may still send. */
  #left: number
  /** What was taken, of which the client does not know. */
  #consumed = 0

  constructor(size: number) {
    this.#size = size
    this.#left = size
  }

  /** Bytes come. @returns false where they are more than the client may send. */
  receive(bytes: number): boolean {
    this.#left -= bytes
    return this.#left >= 0
  }

  /** Bytes were taken. @returns those that the client is to be told of: 0 until they are half the window. */
  consume(bytes: number): number {
    this.#consumed += bytes
    if (this.#consumed < this.#size / 2) return 0
    const announced = this.#consumed
    this.#left += announced
    this.#consumed = 0
    return announced
  }
}

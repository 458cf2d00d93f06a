import { TritonError } from '@triton-ts/core'

/** What the inputs of one JSON object may take together. */
export class InputRoom {
  readonly #maxBytes: number
  #taken = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws TritonError INVALID_ARG when an input is too big for what is left. */
  take(name: string, bytes: number): void {
    if (this.#taken + bytes > this.#maxBytes) {
      throw new TritonError(
        'INVALID_ARG',
        `request size of ${this.#taken} bytes with input '${name}' of size ${bytes} bytes exceeds the maximum allowed ` +
          `input size of ${this.#maxBytes}. Use --http-max-input-size to increase the limit.`,
      )
    }
    this.#taken += bytes
  }
}

import { createHash, type Hash, hash } from 'node:crypto'

/** What is hashed is gathered up to this size, since a call of the hash costs more than a copy of a few bytes. */
const capacity = 4096

/** SHA-256 over bytes and numbers that come piece by piece. It serves again and again, and small contents cost one call. */
export class BufferedHash {
  readonly #gathered = Buffer.alloc(capacity)
  #size = 0
  #hash: Hash | undefined

  /** Forgets what came so far. */
  start(): void {
    this.#hash = undefined
    this.#size = 0
  }

  bytes(bytes: Uint8Array): void {
    if (bytes.byteLength > capacity - this.#size) this.#flush()
    if (bytes.byteLength > capacity) {
      this.#hash?.update(bytes)
      return
    }
    this.#gathered.set(bytes, this.#size)
    this.#size += bytes.byteLength
  }

  number(value: number): void {
    if (this.#size + 8 > capacity) this.#flush()
    this.#size = this.#gathered.writeDoubleLE(value, this.#size)
  }

  /** The digest of all that came since the start, in 43 characters of URL-safe base64. */
  digest(): string {
    const rest = this.#gathered.subarray(0, this.#size)
    return this.#hash === undefined ? hash('sha256', rest, 'base64url') : this.#hash.update(rest).digest('base64url')
  }

  #flush(): void {
    this.#hash ??= createHash('sha256')
    this.#hash.update(this.#gathered.subarray(0, this.#size))
    this.#size = 0
  }
}

/** Keeps the process alive while something is pending. */
export class KeepAlive {
  readonly #set: (alive: boolean) => void
  #count = 0

  constructor(set: (alive: boolean) => void) {
    this.#set = set
  }

  add(): void {
    if (this.#count++ === 0) this.#set(true)
  }

  remove(): void {
    if (--this.#count === 0) this.#set(false)
  }
}

/** Who sends waits here until the client has caught up. */
export class Room {
  #promise: Promise<void> | undefined
  #resolve: (() => void) | undefined

  /** Resolved by the next `open()`; the same promise for all who wait. */
  wait(): Promise<void> {
    this.#promise ??= new Promise((resolve) => {
      this.#resolve = resolve
    })
    return this.#promise
  }

  open(): void {
    this.#resolve?.()
    this.#promise = undefined
    this.#resolve = undefined
  }
}

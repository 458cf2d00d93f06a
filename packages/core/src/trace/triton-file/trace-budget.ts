/** How many bytes of traces may wait in memory, for their end and to be written. */
const limit = 64 * 1024 * 1024

/** Bounds what traces keep in memory: a disk that is slow or full costs traces, nothing else. */
export class TraceBudget {
  readonly #onLoss: () => void
  #used = 0
  #isLosing = false

  /** @param onLoss hears of the first trace that is lost, and again when there was room meanwhile. */
  constructor(onLoss: () => void) {
    this.#onLoss = onLoss
  }

  /** False when there is no room. */
  take(bytes: number): boolean {
    if (this.#used + bytes <= limit) {
      this.#used += bytes
      return true
    }
    if (!this.#isLosing) this.#onLoss()
    this.#isLosing = true
    return false
  }

  giveBack(bytes: number): void {
    this.#used -= bytes
    if (this.#used < limit / 2) this.#isLosing = false
  }
}

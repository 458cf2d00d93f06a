const seconds = [0, 1, 2, 4, 8, 16, 30] as const
/** A process that lived so long did not end because of how it began. */
const longLifeSeconds = 30

/** How long to wait before a process is started again: longer each time, until one lives for a while. */
export class RestartDelay {
  #failures = 0
  #upSince: number | undefined

  /** A process serves. @param now in milliseconds. */
  up(now: number): void {
    this.#upSince = now
  }

  /** It has ended, or did not even come up. @returns milliseconds. */
  down(now: number): number {
    if (this.#upSince !== undefined && now - this.#upSince >= longLifeSeconds * 1000) this.#failures = 0
    this.#upSince = undefined
    const index = Math.min(this.#failures++, seconds.length - 1)
    return (seconds[index] as number) * 1000
  }
}

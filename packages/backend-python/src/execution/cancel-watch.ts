import type { RunningRequest } from './running-request.ts'

const tickMilliseconds = 5

/** Lets requests that run for some milliseconds hear when their callers give up; for others that costs more than the run. */
export class CancelWatch {
  readonly #requests: ReadonlyMap<number, RunningRequest>
  #timer: NodeJS.Timeout | undefined
  /** Requests up to this slot were there when it looked last. */
  #seen = 0

  /** @param requests in flight, whenever it looks, by slots that only rise. */
  constructor(requests: ReadonlyMap<number, RunningRequest>) {
    this.#requests = requests
  }

  /** There are requests that nobody follows. */
  wake(): void {
    this.#timer ??= setTimeout(this.#look, tickMilliseconds).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  readonly #look = (): void => {
    this.#timer = undefined
    let newest = this.#seen
    for (const [slot, request] of this.#requests) {
      if (slot <= this.#seen) request.follow()
      else newest = slot
    }
    if (newest > this.#seen) this.wake()
    this.#seen = newest
  }
}

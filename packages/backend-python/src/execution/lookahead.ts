import type { ExecutionRequest } from '@triton-ts/core/backend'

/** Runs that are looked at before a process is sent batches ahead. */
const learningRuns = 32
/** Milliseconds that runs may take for that, on the average. Longer ones gain nothing by it. */
const shortRun = 0.25
/** Batches that a process may have then. What waits in a process can no longer run elsewhere, so it is not long. */
const mostAhead = 8
/** Weight of the last run in the average. */
const weight = 1 / 16

/**
 * Lets a process have its next batches while it still runs one: where runs are short, most of the time of a run is the
 * way there and back. The way is then that of several batches at once, and the process does not wait for it.
 */
export class Lookahead {
  readonly #isAllowed: () => boolean
  #runs = 0
  #average = 0
  #inFlight = 0
  #resume: (() => void) | undefined

  /** @param isAllowed is asked before each batch. */
  constructor(isAllowed: () => boolean) {
    this.#isAllowed = isAllowed
  }

  /** Batches that the process has. */
  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * When the process may have another batch.
   * @param executing the run of a batch that it was just sent; milliseconds.
   * @param requests of that batch; those that it still has when it may have another one are kept.
   * @returns undefined: now. It rejects only where the process gets no batches ahead.
   */
  after(executing: Promise<number>, requests: readonly ExecutionRequest[]): Promise<void> | undefined {
    this.#inFlight++
    const over = executing.then(this.#learn, this.#fail)
    const most = this.#most
    if (most === 1) return over
    for (const request of requests) request.keep()
    over.catch(ignore)
    if (this.#inFlight < most) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  get #most(): number {
    return this.#runs >= learningRuns && this.#average < shortRun && this.#isAllowed() ? mostAhead : 1
  }

  readonly #learn = (milliseconds: number): void => {
    this.#average = this.#runs++ === 0 ? milliseconds : this.#average + (milliseconds - this.#average) * weight
    this.#over()
  }

  readonly #fail = (error: unknown): never => {
    this.#over()
    throw error
  }

  #over(): void {
    this.#inFlight--
    if (this.#resume === undefined || this.#inFlight >= this.#most) return
    this.#resume()
    this.#resume = undefined
  }
}

// Who is to hear of it has.
const ignore = (): void => {}

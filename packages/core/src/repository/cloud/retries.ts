import { AbortFollowers } from '../../util/abort-followers.ts'
import type { Clock, Timer } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { StoreError } from './object-store.ts'

/** One of several tries. */
export interface Attempt {
  /** Aborted when the caller gives up, or when nothing has happened for too long. */
  readonly signal: AbortSignal
  /** Something happened: the time begins anew. */
  alive(): void
}

export interface RetryOptions {
  /** For the log: what is tried. */
  readonly what: string
  /** Milliseconds without a call of `alive` after which a try hangs. */
  readonly patience: number
  readonly signal?: AbortSignal | undefined
}

const mostTries = 5
const firstDelay = 200

/** Does what a store may be too busy for up to five times, with 0.2 s, 0.4 s, 0.8 s and 1.6 s between, or down to half of that. */
export class Retries {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #logger: Logger
  readonly #followers = new AbortFollowers()

  constructor(clock: Clock, random: () => number, logger: Logger) {
    this.#clock = clock
    this.#random = random
    this.#logger = logger
  }

  /**
   * `work` must end soon after its signal is aborted.
   * @throws the reason of an aborted signal; else the last error of `work`.
   */
  async run<T>(work: (attempt: Attempt) => Promise<T>, { what, patience, signal }: RetryOptions): Promise<T> {
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted()
      try {
        return await this.#attempt(work, patience, signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof StoreError) || error.kind !== 'busy') throw error
        if (tries === mostTries)
          throw new StoreError('busy', `tried ${mostTries} times, last: ${error.message}`, { cause: error })
        const delay = firstDelay * 2 ** (tries - 1) * (0.5 + this.#random() / 2)
        this.#logger.warn({ tries, delay }, `failed to ${what}, will try again: ${error.message}`)
        await this.#pause(delay, signal)
      }
    }
  }

  async #attempt<T>(work: (attempt: Attempt) => Promise<T>, patience: number, signal?: AbortSignal): Promise<T> {
    const controller = new AbortController()
    const unfollow = signal && this.#followers.follow(signal, (reason) => controller.abort(reason))
    let last = this.#clock.now()
    let timer: Timer
    // A timer for each packet would be dear: this one looks when the last packet came.
    const watch = (): void => {
      const rest = last + patience - this.#clock.now()
      if (rest > 0) timer = this.#clock.schedule(watch, rest)
      else controller.abort(new StoreError('busy', `nothing came for ${patience / 1000} s`))
    }
    timer = this.#clock.schedule(watch, patience)
    const alive = (): void => {
      last = this.#clock.now()
    }
    try {
      return await work({ signal: controller.signal, alive })
    } finally {
      timer.cancel()
      unfollow?.()
    }
  }

  #pause(delay: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.schedule(() => {
        unfollow?.()
        resolve()
      }, delay)
      const unfollow =
        signal &&
        this.#followers.follow(signal, (reason) => {
          timer.cancel()
          reject(reason)
        })
    })
  }
}

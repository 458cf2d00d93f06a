import { TritonError } from '../errors.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { RestartDelay } from './restart-delay.ts'

/** What executes a model and may end by itself: a process, or a worker thread. */
export interface Mortal {
  /** Resolves when it is gone, with what those heard who waited for it. */
  readonly ended: Promise<TritonError>
  /** Ends it, by force if it does not want to. */
  stop(): Promise<void>
}

/** What a keeper needs to know. */
export interface Kept<T extends Mortal> {
  /** What is kept, for texts: `the process of model 'm'`. */
  readonly what: string
  readonly model: string
  readonly clock: Clock
  readonly logger: Logger
  /** Starts another one and brings the model up in it. The signal is aborted when it is not wanted any more. */
  revive(signal: AbortSignal): Promise<T>
}

/** Sees to it that a model has what executes it: starts another one, after a while, when one has ended. */
export class Keeper<T extends Mortal> {
  readonly #kept: Kept<T>
  readonly #delay = new RestartDelay()
  readonly #stopping = new AbortController()
  readonly #watching: Promise<void>
  #current: T | undefined
  #restartAt = 0
  #timer: Timer | undefined
  #wake: () => void = () => {}
  #restarts = 0
  #isReviving = false
  #waiting: (() => void)[] = []

  /** @param first is up. */
  constructor(first: T, kept: Kept<T>) {
    this.#kept = kept
    this.#watching = this.#watch(first)
  }

  /** Undefined while there is none that serves. */
  get current(): T | undefined {
    return this.#current
  }

  /** @throws TritonError UNAVAILABLE while there is none. */
  expect(): T {
    if (this.#current !== undefined) return this.#current
    const seconds = Math.max(0, Math.ceil((this.#restartAt - this.#kept.clock.now()) / 1000))
    const when = seconds === 0 ? 'restarts now' : `restarts in ${seconds} s`
    throw new TritonError('UNAVAILABLE', `${this.#kept.what} is down, it ${when}`)
  }

  /**
   * As `expect`, but waits for one that is on its way, or that is due before `patience` milliseconds are over.
   * @throws TritonError UNAVAILABLE when there is none then.
   */
  async soon(patience: number): Promise<T> {
    const isComing = this.#isReviving || this.#restartAt - this.#kept.clock.now() <= patience
    if (this.#current === undefined && isComing && !this.#isStopping) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    return this.expect()
  }

  /**
   * From now on no other one is started. Resolves when there is none.
   * @param last is done with the one that serves before it ends; what it throws is thrown then.
   */
  async stop(last: (current: T) => Promise<void>): Promise<void> {
    this.#stopping.abort()
    this.#timer?.cancel()
    this.#wake()
    this.#tellWaiting()
    const current = this.#current
    try {
      if (current !== undefined) await last(current)
    } finally {
      await current?.stop()
      await this.#watching
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #watch(first: T): Promise<void> {
    const { model, clock, logger } = this.#kept
    for (let next: T | undefined = first; next !== undefined; next = await this.#next()) {
      this.#current = next
      this.#tellWaiting()
      if (this.#isStopping) void next.stop()
      this.#delay.up(clock.now())
      const { message } = await next.ended
      this.#current = undefined
      if (!this.#isStopping) logger.error({ model }, message)
    }
  }

  async #next(): Promise<T | undefined> {
    const { what, model, clock, logger } = this.#kept
    for (;;) {
      await this.#pause(this.#delay.down(clock.now()))
      if (this.#isStopping) return undefined
      this.#restarts++
      logger.warn({ model, restarts: this.#restarts }, `restarting ${what}`)
      this.#isReviving = true
      try {
        return await this.#kept.revive(this.#stopping.signal)
      } catch (err) {
        if (!this.#isStopping) logger.error({ err, model }, `${what} did not restart`)
      } finally {
        this.#isReviving = false
      }
      this.#tellWaiting()
    }
  }

  #tellWaiting(): void {
    for (const tell of this.#waiting.splice(0)) tell()
  }

  async #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#kept
    if (this.#isStopping) return
    this.#restartAt = clock.now() + milliseconds
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = clock.schedule(resolve, milliseconds)
    })
  }
}

import type { RateLimiter } from './rate-limiter.ts'
import type { ResourceNeed } from './resource-table.ts'

/**
 * An instance as the rate limiter sees it: AVAILABLE, STAGED while it waits for its turn, ALLOCATED while it holds its
 * resources. Whoever stages it must end the turn, by `finish` after a run or by `withdraw` without one.
 */
export class Contender {
  readonly needs: readonly ResourceNeed[]
  readonly #limiter: RateLimiter
  readonly #priority: number
  #executions = 0
  #state: 'AVAILABLE' | 'STAGED' | 'ALLOCATED' = 'AVAILABLE'
  #onTurn: () => void = () => {}

  /** @param priority as configured; 0 counts as 1. */
  constructor(limiter: RateLimiter, needs: readonly ResourceNeed[], priority: number) {
    this.#limiter = limiter
    this.needs = needs
    this.#priority = Math.max(1, priority)
  }

  /** The lower it is, the earlier is the turn. It stands still while the contender is staged. */
  get rank(): number {
    return this.#executions * this.#priority
  }

  get hasTurn(): boolean {
    return this.#state === 'ALLOCATED'
  }

  /** Asks for a turn; true when it is given at once, else `onTurn` is called when it comes. */
  stage(onTurn: () => void): boolean {
    this.#state = 'STAGED'
    this.#onTurn = onTurn
    return this.#limiter.stage(this)
  }

  /** The same as a promise; a signal that aborts withdraws the question and rejects. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.withdraw()
        reject(signal.reason)
      }
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      if (this.stage(onTurn)) onTurn()
    })
  }

  /** For the rate limiter: the resources are taken. */
  allocate(): void {
    this.#state = 'ALLOCATED'
  }

  /** For the rate limiter: says that the turn came. */
  tell(): void {
    this.#onTurn()
  }

  /** Stops waiting, or gives up a turn that is not used; it does not count as a run. */
  withdraw(): void {
    const { hasTurn } = this
    this.#state = 'AVAILABLE'
    if (hasTurn) this.#limiter.release(this, () => {})
    else this.#limiter.unstage(this)
  }

  /** The run of this turn is over. What `restage` stages competes with all others for the resources that it frees. */
  finish(restage: () => void = () => {}): void {
    this.#executions++
    this.#state = 'AVAILABLE'
    this.#limiter.release(this, restage)
  }

  /** Lets others of the same owner be staged instead, with nobody coming in between. */
  rearrange(work: () => void): void {
    this.#limiter.hold(work)
  }

  /** The instance is gone. */
  dispose(): void {
    this.rearrange(() => {
      if (this.#state !== 'AVAILABLE') this.withdraw()
      this.#limiter.unregister(this)
    })
  }
}

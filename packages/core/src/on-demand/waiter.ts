import { TritonError } from '../errors.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Lease } from './lease.ts'

/** How somebody waits for a model. */
export interface WaitOptions {
  /** Ends the wait with CANCELLED. */
  readonly signal?: AbortSignal | undefined
  /** Ends the wait with UNAVAILABLE; 0: never. */
  readonly timeoutMicroseconds?: number | undefined
  /** Of a model that asks: the models whose requests or loads wait, too. Default: an application waits. */
  readonly held?: ReadonlySet<string> | undefined
}

/** What waiters work with. */
export interface WaiterParts {
  readonly clock: Clock
  readonly signals: AbortFollowers
  /** It was answered, or went away by itself. */
  onLeave(waiter: Waiter): void
}

/** Somebody who waits for a model to be there. It hears an answer once. */
export class Waiter {
  readonly promise: Promise<Lease>
  /** Empty when an application waits. */
  readonly held: ReadonlySet<string>
  #resolve!: (lease: Lease) => void
  #reject!: (error: TritonError) => void
  readonly #cleanUps: (() => void)[] = []

  constructor(model: string, { signal, timeoutMicroseconds = 0, held = nobody }: WaitOptions, parts: WaiterParts) {
    this.held = held
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#cleanUps.push(() => parts.onLeave(this))
    if (signal !== undefined) {
      const onAbort = (cause: unknown): void =>
        this.fail(new TritonError('CANCELLED', 'the request was cancelled', { cause }))
      this.#cleanUps.push(parts.signals.follow(signal, onAbort))
    }
    if (timeoutMicroseconds > 0) {
      const expire = (): void =>
        this.fail(new TritonError('UNAVAILABLE', `Request timeout expired before model '${model}' was loaded`))
      const timer = parts.clock.schedule(expire, timeoutMicroseconds / 1000)
      this.#cleanUps.push(() => timer.cancel())
    }
  }

  succeed(lease: Lease): void {
    this.#leave()
    this.#resolve(lease)
  }

  fail(error: TritonError): void {
    this.#leave()
    this.#reject(error)
  }

  #leave(): void {
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp()
  }
}

const nobody: ReadonlySet<string> = new Set()

import type { Clock } from '@triton-ts/core'
import { Http2Error } from './http2-error.ts'

/** Frames that cost the server work and the client nothing: so many at once, and so many each second. */
const burst = 1000
const rate = 1000

/** Ends connections that send what is allowed, but far too much of it. */
export class FloodGuard {
  readonly #clock: Clock
  #tokens = burst
  #last: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#last = clock.now()
  }

  /** @throws Http2Error ENHANCE_YOUR_CALM when these were too many. */
  count(what: string): void {
    if (--this.#tokens > 0) return
    const now = this.#clock.now()
    this.#tokens = Math.min(burst, ((now - this.#last) / 1000) * rate)
    this.#last = now
    if (this.#tokens < 1) throw new Http2Error('ENHANCE_YOUR_CALM', `too many ${what}`)
  }
}

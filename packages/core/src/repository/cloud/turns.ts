import { setImmediate } from 'node:timers/promises'

/**
 * Shares out the turns of the event loop: however many ask at once, each gets a turn of its own, so that work in small
 * pieces holds up everything else for no longer than one of them.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  next(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate())
    return this.#last
  }
}

import { type Server, systemClock, type Timer } from '@triton-ts/core'
import type { Reporter } from './reporter.ts'

/** Milliseconds: an editor or a build saves several files in one go. */
const debounce = 50

/** Milliseconds to a second look: a model that was still changing at the first, or that the watch missed, is found then. */
const secondLook = 500

/** Has a server look at its repositories whenever something was saved there. */
export class Reloads {
  readonly #server: Server
  readonly #reporter: Reporter
  #models = new Set<string>()
  /** When the first file that nobody has looked at yet was saved. */
  #since: number | undefined
  #timer: Timer | undefined
  #isLooking = false
  #isStopped = false

  constructor(server: Server, reporter: Reporter) {
    this.#server = server
    this.#reporter = reporter
  }

  /** @param model the name of its directory. */
  saved(model: string): void {
    this.#models.add(model)
    this.#since ??= systemClock.now()
    this.#schedule(debounce)
  }

  /** Looks no more. A look under way ends with the server. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  #schedule(delay: number): void {
    if (this.#isLooking || this.#isStopped) return
    this.#timer?.cancel()
    this.#timer = systemClock.schedule(() => void this.#look(), delay)
  }

  async #look(): Promise<void> {
    const change = this.#since === undefined ? undefined : { models: this.#models, at: this.#since }
    this.#models = new Set()
    this.#since = undefined
    this.#reporter.beginLook(change)
    this.#isLooking = true
    try {
      await this.#server.poll()
    } catch (error) {
      // When the server stops nobody waits for the models.
      if (!this.#isStopped) this.#reporter.error({}, (error as Error).message)
    }
    this.#isLooking = false
    this.#reporter.endLook()
    if (this.#since !== undefined) this.#schedule(debounce)
    else if (change !== undefined) this.#schedule(secondLook)
  }
}

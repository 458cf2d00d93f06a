import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { RequestSlot } from './request-slot.ts'

/** Waking the event loop more often would cost the models processor time that they need. */
const tickMilliseconds = 5

interface Watched {
  readonly slot: RequestSlot
  /** Slots are used again; then it is another request's. */
  readonly request: ExecutionRequest | undefined
}

/**
 * Listens whether callers give up, but only to requests that run for some milliseconds: for all others the
 * listening would cost more than the run. It does not keep the process alive.
 */
export class CancelWatch {
  #recent: Watched[] = []
  #older: Watched[] = []
  #isTicking = false

  add(slot: RequestSlot): void {
    this.#recent.push({ slot, request: slot.request })
    if (!this.#isTicking) this.#tick()
  }

  #tick(): void {
    this.#isTicking = true
    setTimeout(this.#turn, tickMilliseconds).unref()
  }

  readonly #turn = (): void => {
    const watched = this.#older
    this.#older = this.#recent
    this.#recent = []
    this.#isTicking = false
    if (this.#older.length > 0) this.#tick()
    for (const { slot, request } of watched) if (slot.request === request) slot.followSignal()
  }
}

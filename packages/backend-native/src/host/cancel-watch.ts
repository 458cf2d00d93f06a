import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { RequestSlot } from './request-slot.ts'
import { TwoTurns } from './two-turns.ts'

/** Waking the event loop more often would cost the models processor time that they need. */
const tickMilliseconds = 5

interface Watched {
  readonly slot: RequestSlot
  /** Slots are used again; then it is another request's. */
  readonly request: ExecutionRequest | undefined
}

/**
 * Listens whether callers give up, but only to requests that run for some milliseconds: for all others the
 * listening would cost more than the run.
 */
export class CancelWatch {
  readonly #watched = new TwoTurns<Watched>(tickMilliseconds, ({ slot, request }) => {
    if (slot.request === request) slot.followSignal()
  })

  add(slot: RequestSlot): void {
    this.#watched.add({ slot, request: slot.request })
  }
}

import type { Clock, Timer, TritonError } from '@triton-ts/core'
import type { RunningBatch } from './running-batch.ts'

/** How long a worker may go on with requests that nobody waits for any more. */
export const forsakenMilliseconds = 10_000

/** What the batches of a worker need of it. */
interface BatchesOwner {
  readonly clock: Clock
  /** Nothing more comes of a batch. */
  released(): void
  /** For a while the worker only did what nobody waits for: it may be in a loop without end. */
  forsaken(): void
}

/** The batches that a worker has, by number. */
export class RunningBatches {
  readonly #owner: BatchesOwner
  readonly #batches = new Map<number, RunningBatch>()
  #patience: Timer | undefined

  constructor(owner: BatchesOwner) {
    this.#owner = owner
  }

  get(id: number): RunningBatch | undefined {
    return this.#batches.get(id)
  }

  get areExecuting(): boolean {
    return this.#some(({ isExecuting }) => isExecuting)
  }

  add(id: number, batch: RunningBatch): void {
    this.#batches.set(id, batch)
  }

  /** Forgets a batch of which nothing more comes. */
  settle(id: number): void {
    const batch = this.#batches.get(id)
    if (batch === undefined || batch.isOpen) return
    this.#batches.delete(id)
    this.#owner.released()
  }

  /** The worker is gone. */
  failAll(error: TritonError): void {
    for (const [id, batch] of [...this.#batches]) {
      batch.fail(error)
      this.settle(id)
    }
    this.#patience?.cancel()
  }

  /** A caller gave up. Looks after a while, and again, as long as there is a request that was cancelled. */
  watch(): void {
    if (this.#patience !== undefined || !this.#some(({ hasCancelled }) => hasCancelled)) return
    const oldest = this.#areForsaken ? this.#oldest : undefined
    this.#patience = this.#owner.clock.schedule(() => {
      this.#patience = undefined
      // Others may have been cancelled since: a worker that ends what it has is in no such loop.
      if (oldest !== undefined && oldest === this.#oldest && this.#areForsaken) this.#owner.forsaken()
      else this.watch()
    }, forsakenMilliseconds)
  }

  get #oldest(): RunningBatch | undefined {
    const [oldest] = this.#batches.values()
    return oldest
  }

  get #areForsaken(): boolean {
    return this.#batches.size > 0 && !this.#some(({ isForsaken }) => !isForsaken)
  }

  #some(test: (batch: RunningBatch) => boolean): boolean {
    for (const batch of this.#batches.values()) if (test(batch)) return true
    return false
  }
}

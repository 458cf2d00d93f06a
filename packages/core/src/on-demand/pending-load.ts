import { TritonError } from '../errors.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Lease } from './lease.ts'
import { Waiter, type WaitOptions } from './waiter.ts'

/** A model that is to be loaded, and everybody who waits for it. */
export class PendingLoad {
  readonly name: string
  /** Of `Server.load`; undefined when requests alone want the model. */
  readonly options: LoadOptions | undefined
  /** It has its memory, and is being loaded. */
  hasBegun = false
  #isOver = false
  /** Resolves when it is over, with success or not. */
  readonly over: Promise<void>
  #end!: () => void
  readonly #parts: { readonly clock: Clock; readonly signals: AbortFollowers }
  readonly #waiters = new Set<Waiter>()
  readonly #nested = new Set<Waiter>()
  readonly #abandoned = new AbortController()

  constructor(name: string, options: LoadOptions | undefined, parts: { clock: Clock; signals: AbortFollowers }) {
    this.name = name
    this.options = options
    this.#parts = parts
    this.over = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /**
   * Aborted when nobody waits any more. What has begun for requests goes on: the next one comes soon, and a model that
   * takes longer than its callers wait would never be there.
   */
  get signal(): AbortSignal {
    return this.#abandoned.signal
  }

  /** Those of models' code, in the order that they came. */
  get nested(): Waiter[] {
    return [...this.#nested]
  }

  /** Whether a model waits for it. */
  get isNested(): boolean {
    return this.#nested.size > 0
  }

  /** Resolves when the model is there; it then cannot be evicted before the lease is disposed. */
  wait(options: WaitOptions): Promise<Lease> {
    const waiter = new Waiter(this.name, options, { ...this.#parts, onLeave: (left) => this.#leave(left) })
    this.#waiters.add(waiter)
    if (waiter.held.size > 0) this.#nested.add(waiter)
    return waiter.promise
  }

  succeed(lease: () => Lease): void {
    this.#isOver = true
    for (const waiter of [...this.#waiters]) waiter.succeed(lease())
    this.#end()
  }

  fail(error: TritonError): void {
    this.#isOver = true
    for (const waiter of [...this.#waiters]) waiter.fail(error)
    this.#end()
  }

  /** Everybody hears `error`; what has not begun is not loaded then. */
  giveUp(error: TritonError): void {
    for (const waiter of [...this.#waiters]) waiter.fail(error)
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    this.#nested.delete(waiter)
    if (this.#isOver || this.#waiters.size > 0 || (this.hasBegun && this.options === undefined)) return
    this.#abandoned.abort(new TritonError('CANCELLED', `nobody waits for model '${this.name}' any more`))
  }
}

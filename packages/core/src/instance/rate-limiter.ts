import type { InstanceGroupConfig } from '../config/model-config.ts'
import { Contender } from './contender.ts'
import { giveBack, isFree, type RateLimitResource, ResourceTable, take } from './resource-table.ts'
import { StagedQueue } from './staged-queue.ts'

/**
 * Triton's rate limiter in its mode `execution_count`. Every instance of a Server that has work is staged; the one with
 * the lowest executions × priority has its turn as soon as all its resources are free, and those behind it wait even
 * if theirs are. Resources are held for one run.
 */
export class RateLimiter {
  readonly #resources: ResourceTable
  readonly #staged = new StagedQueue()
  #allocating = false

  /** @param limits how much there is; without any, as much of each resource as the most demanding instance needs. */
  constructor(limits: readonly RateLimitResource[] = []) {
    this.#resources = new ResourceTable(limits)
  }

  /**
   * Lets an instance on `device` take part, until its contender is disposed.
   * @throws TritonError INVALID_ARG when it asks for more than there is, or mixes global and device resources.
   */
  register(rateLimiter: InstanceGroupConfig['rateLimiter'], device: number): Contender {
    const needs = this.#resources.add(rateLimiter?.resources ?? [], device)
    this.#allocate()
    return new Contender(this, needs, rateLimiter?.priority ?? 1)
  }

  unregister({ needs }: Contender): void {
    this.#resources.remove(needs)
    this.#allocate()
  }

  /** True when the turn comes at once. Whoever was first before still waits, so only the new one can have it. */
  stage(contender: Contender): boolean {
    this.#staged.add(contender)
    return this.#staged.first === contender && this.#allocateFirst(contender)
  }

  unstage(contender: Contender): void {
    this.#staged.remove(contender)
    this.#allocate()
  }

  /** The contender held its resources and does no more; they go to nobody before `restage` is through. */
  release({ needs }: Contender, restage: () => void): void {
    giveBack(needs)
    this.hold(restage)
  }

  /** While `work` runs, those that are staged wait even if their resources are free. */
  hold(work: () => void): void {
    const isHeld = this.#allocating
    this.#allocating = true
    try {
      work()
    } finally {
      this.#allocating = isHeld
      this.#allocate()
    }
  }

  /** A loop, not recursion: who has a turn may run, and be through, before `tell` returns. */
  #allocate(): void {
    if (this.#allocating) return
    this.#allocating = true
    try {
      for (let first = this.#staged.first; first !== undefined; first = this.#staged.first) {
        if (!this.#allocateFirst(first)) break
        first.tell()
      }
    } finally {
      this.#allocating = false
    }
  }

  #allocateFirst(first: Contender): boolean {
    if (!isFree(first.needs)) return false
    this.#staged.remove(first)
    take(first.needs)
    first.allocate()
    return true
  }
}

import type { ModelInstance } from './model-instance.ts'

/**
 * The instances that a scheduler may use; the one that became idle last is used first, since its caches are warm. Under
 * the rate limiter it is the one whose turn is nearest: `acquire` then gives nothing until the turn comes, which
 * `onIdle` tells. So the scheduler decides what to run when it can run.
 */
export class InstancePool {
  readonly #idle: ModelInstance[]
  /** The idle one that waits for its turn, or has it and is not yet acquired. */
  #next: ModelInstance | undefined
  /** Those to be taken out after their run, and what to do then. */
  readonly #leaving = new Map<ModelInstance, () => void>()
  #onIdle: () => void = () => {}

  constructor(instances: readonly ModelInstance[]) {
    this.#idle = [...instances].reverse()
  }

  /** Says whom to tell that `acquire` may give an instance again. */
  onIdle(listener: () => void): void {
    this.#onIdle = listener
  }

  /** Whether it makes sense to ask for an instance: one is idle and does not wait for its turn. */
  get hasIdle(): boolean {
    return this.#next === undefined ? this.#idle.length > 0 : this.#next.contender?.hasTurn === true
  }

  /** An instance to run on, which goes back with `release`; undefined when none is idle or has its turn. */
  acquire(): ModelInstance | undefined {
    if (this.#next !== undefined) return this.#takeNext(this.#next)
    const instance = this.#idle.pop()
    return instance?.contender === undefined ? instance : this.#stage(instance)
  }

  /** There is no work for what is idle: a turn that is waited for, or was given and not used, goes to others. */
  waive(): void {
    const next = this.#next
    if (next === undefined) return
    this.#next = undefined
    this.#idle.push(next)
    next.contender?.withdraw()
  }

  /** The run of an acquired instance is over. */
  release(instance: ModelInstance): void {
    if (instance.contender === undefined) this.#settle(instance)
    else instance.contender.finish(() => this.#settle(instance))
  }

  add(instance: ModelInstance): void {
    rearrange(instance, () => this.#join(instance))
  }

  /** Resolves when the instance does not run and never will again. */
  remove(instance: ModelInstance): Promise<void> {
    return new Promise((resolve) => rearrange(instance, () => this.#leave(instance, resolve)))
  }

  #settle(instance: ModelInstance): void {
    const onGone = this.#leaving.get(instance)
    if (onGone === undefined) {
      this.#join(instance)
      return
    }
    this.#leaving.delete(instance)
    onGone()
  }

  #leave(instance: ModelInstance, onGone: () => void): void {
    const wasNext = this.#next === instance
    if (wasNext) this.waive()
    const index = this.#idle.indexOf(instance)
    if (index < 0) {
      this.#leaving.set(instance, onGone)
      return
    }
    this.#idle.splice(index, 1)
    onGone()
    if (wasNext) this.#onIdle()
  }

  /** One that ran less has its turn before the one that waits, so the choice is made again. */
  #join(instance: ModelInstance): void {
    if (this.#next?.contender?.hasTurn === false && rank(instance) < rank(this.#next)) this.waive()
    this.#idle.push(instance)
    this.#onIdle()
  }

  #takeNext(next: ModelInstance): ModelInstance | undefined {
    if (next.contender?.hasTurn !== true) return undefined
    this.#next = undefined
    return next
  }

  /** Of several idle instances the one with the lowest rank is staged. */
  #stage(last: ModelInstance): ModelInstance | undefined {
    const idle = this.#idle
    idle.push(last)
    let best = 0
    for (let i = 1; i < idle.length; i++) {
      if (rank(idle[i]) < rank(idle[best])) best = i
    }
    const [next] = idle.splice(best, 1) as [ModelInstance]
    if (next.contender?.stage(() => this.#onIdle())) return next
    this.#next = next
    return undefined
  }
}

const rank = (instance: ModelInstance | undefined): number => instance?.contender?.rank ?? 0

/** Nobody else has a turn until `work` is through. */
function rearrange({ contender }: ModelInstance, work: () => void): void {
  if (contender === undefined) work()
  else contender.rearrange(work)
}

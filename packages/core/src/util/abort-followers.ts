import { type Linked, LinkedList } from './linked-list.ts'

/**
 * Listens once to each signal, however many follow it. A caller may give one signal to all its requests, and a signal
 * walks all its listeners to add one and warns of more than ten.
 */
export class AbortFollowers {
  readonly #groups = new WeakMap<AbortSignal, LinkedList<Follower>>()

  /** Calls `onAbort` when the signal is aborted; the function it returns stops that. */
  follow(signal: AbortSignal, onAbort: (reason: unknown) => void): () => void {
    const group = this.#groups.get(signal) ?? this.#listen(signal)
    const follower = new Follower(onAbort)
    group.push(follower)
    return () => {
      if (group.remove(follower) && group.length === 0) this.#unlisten(signal)
    }
  }

  #listen(signal: AbortSignal): LinkedList<Follower> {
    const group = new LinkedList<Follower>()
    this.#groups.set(signal, group)
    signal.addEventListener('abort', this.#tell, { once: true })
    return group
  }

  #unlisten(signal: AbortSignal): void {
    this.#groups.delete(signal)
    signal.removeEventListener('abort', this.#tell)
  }

  readonly #tell = ({ target }: Event): void => {
    const signal = target as AbortSignal
    const group = this.#groups.get(signal)
    for (let first = group?.first; first !== undefined; first = group?.first) {
      group?.remove(first)
      first.onAbort(signal.reason)
    }
    this.#groups.delete(signal)
  }
}

class Follower implements Linked<Follower> {
  readonly onAbort: (reason: unknown) => void
  list: LinkedList<Follower> | undefined
  previous: Follower | undefined
  next: Follower | undefined

  constructor(onAbort: (reason: unknown) => void) {
    this.onAbort = onAbort
  }
}

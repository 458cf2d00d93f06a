import type { TritonError } from '../errors.ts'
import type { Clock } from '../util/clock.ts'
import type { EvictionOrder } from './eviction-order.ts'
import { type AdmittedModel, LoadPlace, type Need } from './load-place.ts'
import { heldFor, refuseHopeless } from './nested-waits.ts'
import { Patience } from './patience.ts'
import type { PendingLoad } from './pending-load.ts'
import type { Resident } from './resident.ts'
import type { Residents } from './residents.ts'

/**
 * How long the first load waits, in milliseconds, before models that are never idle have to make room; such a model serves
 * at least as long, or a machine that is short of memory would do nothing but load.
 */
const patience = 1000

/** What a line works with. */
export interface LoadLineParts {
  readonly residents: Residents
  readonly order: EvictionOrder
  /** Bytes. */
  readonly budget: number
  readonly clock: Clock
  /** Takes models out of service, and calls `proceed` when their memory is back. */
  evict(victims: readonly Resident[], why: string): void
  /** Calls `proceed` when one of these models may have come to rest. */
  watch(busy: readonly Resident[]): void
  /** Lets models come to rest. */
  drain(busy: readonly Resident[], why: string): void
}

/**
 * Loads that wait for memory, in the order that they came. Those that requests of models wait for come first, each as
 * soon as it fits: what runs must come to an end before its own memory is free.
 */
export class LoadLine {
  readonly #parts: LoadLineParts
  readonly #places: LoadPlace[] = []
  readonly #patience: Patience<LoadPlace>

  constructor(parts: LoadLineParts) {
    this.#parts = parts
    this.#patience = new Patience(parts.clock, patience, (first) => this.#makeRoom(first))
  }

  get length(): number {
    return this.#places.length
  }

  /**
   * Waits until what a load needs fits into the budget, and takes it.
   * @throws TritonError UNAVAILABLE when it never will, or the reason of the load's signal.
   */
  async admit(load: PendingLoad, needs: readonly Need[]): Promise<readonly AdmittedModel[]> {
    const { signal } = load
    signal.throwIfAborted()
    const place = new LoadPlace(load, needs)
    this.#places.push(place)
    const leave = (): void => this.#refuse(place, signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    this.proceed()
    return place.admitted.finally(() => signal.removeEventListener('abort', leave))
  }

  /** Something has changed: admits what fits now. */
  proceed(): void {
    if (this.#places.length > 0) this.#admitAll()
    this.#patience.first = this.#places[0]
  }

  #admitAll(): void {
    const { residents, budget } = this.#parts
    refuseHopeless([...this.#places], residents, budget)
    const held = heldFor(this.#places)
    for (const place of this.#places.filter(({ load }) => load.isNested)) this.#try(place, held)
    for (let first = this.#places[0]; first !== undefined; first = this.#places[0]) if (!this.#try(first)) return
  }

  /**
   * Returns whether the load has left the line.
   * @param held models whose memory does not come back before it is loaded.
   */
  #try(place: LoadPlace, held?: ReadonlySet<string>): boolean {
    const { residents, order, budget, evict, watch } = this.#parts
    const { load, names } = place
    // What happens to one place may end others.
    if (load.signal.aborted) return true
    const never = place.neverFits(residents, budget)
    if (never !== undefined) {
      this.#refuse(place, never)
      return true
    }
    while (this.#excess(place, held) > 0) {
      const victims = order.victims(names)
      if (victims.length === 0) {
        watch(order.busy)
        return false
      }
      evict(victims, `model '${load.name}' needs its memory`)
    }
    // What leaves tells when it is gone.
    if (residents.used + place.lacks(residents) > budget || place.waitsForLeaving(residents)) return false
    this.#remove(place)
    place.take(residents)
    return true
  }

  /** Bytes that a load needs, and that do not come back by themselves. */
  #excess(place: LoadPlace, held?: ReadonlySet<string>): number {
    const { residents, budget } = this.#parts
    return residents.used - residents.leaving(held) + place.lacks(residents) - budget
  }

  /** Nothing comes to rest by itself. */
  #makeRoom(place: LoadPlace): void {
    const { order, drain } = this.#parts
    const held = place.load.isNested ? heldFor(this.#places) : undefined
    const stays = new Set([...place.names, ...(held ?? [])])
    drain(order.busyVictims(this.#excess(place, held), stays, patience), `model '${place.load.name}' waits for memory`)
  }

  #refuse(place: LoadPlace, error: TritonError): void {
    this.#remove(place)
    place.refuse(error)
  }

  #remove(place: LoadPlace): void {
    const index = this.#places.indexOf(place)
    if (index !== -1) this.#places.splice(index, 1)
  }
}

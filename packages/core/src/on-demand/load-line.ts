import type { TritonError } from '../errors.ts'
import type { PendingLoad } from './pending-load.ts'
import type { Resident } from './resident.ts'
import type { Residents } from './residents.ts'
import { hopeless, tooLarge } from './room-errors.ts'

/** A model that a load needs. */
export interface Need {
  readonly name: string
  /** What it takes when it is loaded. */
  readonly bytes: number
  readonly steps: ReadonlySet<string>
  /** Whether the load does nothing where the model is there. */
  readonly isUnchanged: boolean
}

/** A needed model of a load that has its memory. It has a hold. */
export interface AdmittedModel {
  readonly name: string
  readonly resident: Resident
  /** What it took before; undefined when it was not there. */
  readonly bytesBefore: number | undefined
}

/** What a line works with. */
export interface LoadLineParts {
  readonly residents: Residents
  /** Bytes. */
  readonly budget: number
  /** Takes models out of service, and calls `proceed` when their memory is back. */
  evict(victims: readonly Resident[], why: string): void
  /** Calls `proceed` when one of these models may have come to rest. */
  watch(busy: readonly Resident[]): void
}

interface Place {
  readonly load: PendingLoad
  readonly needs: readonly Need[]
  readonly resolve: (admitted: readonly AdmittedModel[]) => void
  readonly reject: (error: TritonError) => void
}

/**
 * Loads that wait for memory, in the order that they came. Those that requests of models wait for come first, each as
 * soon as it fits: what runs must come to an end before its own memory is free.
 */
export class LoadLine {
  readonly #parts: LoadLineParts
  readonly #places: Place[] = []

  constructor(parts: LoadLineParts) {
    this.#parts = parts
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
    let leave!: () => void
    const admitted = new Promise<readonly AdmittedModel[]>((resolve, reject) => {
      leave = () => {
        this.#remove(load)
        reject(signal.reason)
      }
      this.#places.push({ load, needs, resolve, reject })
    })
    signal.addEventListener('abort', leave, { once: true })
    this.proceed()
    return admitted.finally(() => signal.removeEventListener('abort', leave))
  }

  /** Something has changed: admits what fits now. */
  proceed(): void {
    if (this.#places.length === 0) return
    this.#refuseHopeless()
    for (const place of this.#places.filter(({ load }) => load.nested.length > 0)) this.#try(place)
    for (let first = this.#places[0]; first !== undefined; first = this.#places[0]) if (!this.#try(first)) return
  }

  /** Requests of models that would wait for what they hold themselves, the latest first. */
  #refuseHopeless(): void {
    for (const { load, needs } of [...this.#places].reverse()) {
      for (const waiter of load.nested.reverse()) {
        if (this.#isHopeless(needs)) waiter.fail(hopeless(load.name, waiter.held))
      }
    }
  }

  /** Whether it would not fit beside everything that nested requests hold, even if all else went. */
  #isHopeless(needs: readonly Need[]): boolean {
    const { residents, budget } = this.#parts
    const held = new Set(this.#places.flatMap(({ load }) => load.nested.flatMap((waiter) => [...waiter.held])))
    for (const name of residents.pinned) held.add(name)
    return sizeOf(needs) + residents.bytesOf(held, namesOf(needs)) > budget
  }

  /** Returns whether the load has left the line. */
  #try(place: Place): boolean {
    const { residents, budget, evict, watch } = this.#parts
    const { load, needs } = place
    // What happens to one place may end others.
    if (load.signal.aborted) return true
    const never = this.#neverFits(load.name, needs)
    if (never !== undefined) {
      this.#remove(load)
      place.reject(never)
      return true
    }
    const names = namesOf(needs)
    const missing = needs.filter((need) => this.#isMissing(need))
    const more = sizeOf(missing)
    while (residents.used - residents.leaving + more > budget) {
      const victims = residents.victims(names)
      if (victims.length === 0) {
        watch(residents.busy)
        return false
      }
      evict(victims, `model '${load.name}' needs its memory`)
    }
    // What leaves tells when it is gone.
    if (residents.used + more > budget || missing.some(({ name }) => residents.get(name)?.state === 'leaving'))
      return false
    this.#take(place, missing)
    return true
  }

  /** Whether the load takes memory for it. */
  #isMissing({ name, isUnchanged }: Need): boolean {
    const state = this.#parts.residents.get(name)?.state
    return state === undefined || state === 'leaving' || (state === 'here' && !isUnchanged)
  }

  #take({ load, needs, resolve }: Place, missing: readonly Need[]): void {
    const { residents } = this.#parts
    this.#remove(load)
    load.hasBegun = true
    const admitted = needs.map((need) => {
      const { name, bytes, steps } = need
      const there = residents.get(name)
      const bytesBefore = there?.bytes
      if (there !== undefined && missing.includes(need)) residents.resize(there, there.bytes + bytes)
      const resident = there ?? residents.add(name, bytes, steps)
      resident.holds++
      return { name, resident, bytesBefore }
    })
    resolve(admitted)
  }

  #neverFits(name: string, needs: readonly Need[]): TritonError | undefined {
    const { residents, budget } = this.#parts
    const size = sizeOf(needs)
    const pinned = residents.bytesOf(residents.pinned, namesOf(needs))
    const reloaded = new Set(needs.filter(({ isUnchanged }) => !isUnchanged).map(({ name }) => name))
    const old = residents.bytesOf(reloaded, none)
    if (size + pinned + old <= budget) return undefined
    return tooLarge(name, { size, pinned, old, budget })
  }

  #remove(load: PendingLoad): void {
    const index = this.#places.findIndex((place) => place.load === load)
    if (index !== -1) this.#places.splice(index, 1)
  }
}

const none: ReadonlySet<string> = new Set()

const sizeOf = (needs: readonly Need[]): number => needs.reduce((sum, { bytes }) => sum + bytes, 0)

const namesOf = (needs: readonly Need[]): Set<string> => new Set(needs.map(({ name }) => name))

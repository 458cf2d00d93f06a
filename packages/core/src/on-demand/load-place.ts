import type { TritonError } from '../errors.ts'
import type { PendingLoad } from './pending-load.ts'
import type { Resident } from './resident.ts'
import type { Residents } from './residents.ts'
import { type Room, tooLarge } from './room-errors.ts'

/** A model that a load needs. */
export interface Need {
  readonly name: string
  /** What it takes when it is loaded. */
  readonly bytes: number
  readonly steps: ReadonlySet<string>
  /** Whether what serves now is as the files are, so that a load does nothing. */
  isUnchanged(): boolean
}

/** A needed model of a load that has its memory. It has a hold. */
export interface AdmittedModel {
  readonly name: string
  readonly resident: Resident
  /** What it took before; undefined when it was not there. */
  readonly bytesBefore: number | undefined
}

/** A load in the line. */
export class LoadPlace {
  readonly load: PendingLoad
  /** Names of what it needs. */
  readonly names: ReadonlySet<string>
  /** Bytes of all that it needs. */
  readonly size: number
  readonly admitted: Promise<readonly AdmittedModel[]>
  readonly #needs: readonly Need[]
  #resolve!: (admitted: readonly AdmittedModel[]) => void
  #reject!: (error: TritonError) => void

  constructor(load: PendingLoad, needs: readonly Need[]) {
    this.load = load
    this.names = new Set(needs.map(({ name }) => name))
    this.size = sizeOf(needs)
    this.#needs = needs
    this.admitted = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Bytes that it takes beside what is there. */
  lacks(residents: Residents): number {
    return sizeOf(this.#missing(residents))
  }

  /** Whether a model that it needs must be gone before it is loaded. */
  waitsForLeaving(residents: Residents): boolean {
    return this.#needs.some(({ name }) => residents.get(name)?.state === 'leaving')
  }

  /** Why it will never fit; undefined when it may. */
  neverFits(residents: Residents, budget: number): TritonError | undefined {
    const reloaded = this.#needs.filter((need) => isReload(need, residents)).map(({ name }) => name)
    const pinned = residents.bytesOf(residents.pinned, this.names)
    const room: Room = { size: this.size, pinned, old: residents.bytesOf(new Set(reloaded)), budget }
    return room.size + room.pinned + room.old <= budget ? undefined : tooLarge(this.load.name, room)
  }

  /** Takes the memory. */
  take(residents: Residents): void {
    this.load.hasBegun = true
    const missing = this.#missing(residents)
    const admitted = this.#needs.map((need) => {
      const { name, bytes, steps } = need
      const there = residents.get(name)
      const bytesBefore = there?.bytes
      if (there !== undefined && missing.includes(need)) residents.resize(there, there.bytes + bytes)
      const resident = there ?? residents.add(name, bytes, steps)
      resident.holds++
      resident.isDraining = false
      return { name, resident, bytesBefore }
    })
    this.#resolve(admitted)
  }

  refuse(error: TritonError): void {
    this.#reject(error)
  }

  /** What it takes memory for. */
  #missing(residents: Residents): readonly Need[] {
    return this.#needs.filter((need) => {
      const state = residents.get(need.name)?.state
      return state === undefined || state === 'leaving' || isReload(need, residents)
    })
  }
}

const isReload = (need: Need, residents: Residents): boolean =>
  residents.get(need.name)?.state === 'here' && !need.isUnchanged()

const sizeOf = (needs: readonly Need[]): number => needs.reduce((sum, { bytes }) => sum + bytes, 0)

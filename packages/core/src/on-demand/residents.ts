import { Lease } from './lease.ts'
import { Resident } from './resident.ts'

/** The models that have memory, and how much of it. */
export class Residents {
  readonly #all = new Map<string, Resident>()
  #used = 0
  #lastUse = 0

  get(name: string): Resident | undefined {
    return this.#all.get(name)
  }

  /** Least recently used first. */
  get byAge(): Resident[] {
    return [...this.#all.values()].sort((a, b) => a.lastUse - b.lastUse)
  }

  /** Bytes that are taken, also by what is loading or leaving. */
  get used(): number {
    return this.#used
  }

  /**
   * Bytes that come back by themselves.
   * @param but models whose bytes do not count.
   */
  leaving(but: ReadonlySet<string> = none): number {
    return this.#sum(({ state, name }) => state === 'leaving' && !but.has(name))
  }

  /**
   * Marks a model as used now.
   * @param isNested whether a model asks.
   * @returns undefined for one that does not serve, or does not serve applications any more.
   */
  use(name: string, isNested: boolean): Resident | undefined {
    const resident = this.#all.get(name)
    if (resident === undefined || resident.state !== 'here' || (resident.isDraining && !isNested)) return undefined
    this.#touch(resident)
    return resident
  }

  /** Keeps a model. @param onFree nothing keeps it any more. */
  lease(resident: Resident, onFree: () => void): Lease {
    resident.holds++
    this.#touch(resident)
    return new Lease(resident.name, () => {
      resident.holds--
      this.#touch(resident)
      if (resident.holds === 0) onFree()
    })
  }

  #touch(resident: Resident): void {
    resident.lastUse = ++this.#lastUse
  }

  add(name: string, bytes: number, steps: ReadonlySet<string>): Resident {
    const resident = new Resident(name, bytes, steps)
    this.#all.set(name, resident)
    this.#used += bytes
    return resident
  }

  remove(resident: Resident): void {
    this.resize(resident, 0)
    if (this.#all.get(resident.name) === resident) this.#all.delete(resident.name)
  }

  resize(resident: Resident, bytes: number): void {
    this.#used += bytes - resident.bytes
    resident.bytes = bytes
  }

  /** Models that need `name` as a step. */
  dependents(name: string): Resident[] {
    return [...this.#all.values()].filter(({ state, steps }) => state !== 'leaving' && steps.has(name))
  }

  /** Bytes of these models and of all that they need, without those in `but`. */
  bytesOf(names: ReadonlySet<string>, but: ReadonlySet<string> = none): number {
    const whole = new Set(names)
    for (const name of names) for (const step of this.#all.get(name)?.steps ?? []) whole.add(step)
    return this.#sum(({ name }) => whole.has(name) && !but.has(name))
  }

  /** Names of the models that `Server.load` keeps. */
  get pinned(): Set<string> {
    return new Set([...this.#all.values()].filter(({ isPinned }) => isPinned).map(({ name }) => name))
  }

  #sum(counts: (resident: Resident) => boolean): number {
    let bytes = 0
    for (const resident of this.#all.values()) if (counts(resident)) bytes += resident.bytes
    return bytes
  }
}

const none: ReadonlySet<string> = new Set()

import type { ModelVersion } from '../lifecycle/model-version.ts'
import type { Clock } from '../util/clock.ts'
import type { Resident } from './resident.ts'
import type { Residents } from './residents.ts'

/** The versions of a model that serve. */
export type ReadyVersions = (name: string) => readonly Pick<ModelVersion, 'isUnused' | 'hasSequences' | 'drained'>[]

/** Says which models go when memory is needed, the least recently used ones first. */
export class EvictionOrder {
  readonly #residents: Residents
  readonly #readyVersions: ReadyVersions
  readonly #clock: Clock

  constructor(residents: Residents, readyVersions: ReadyVersions, clock: Clock) {
    this.#residents = residents
    this.#readyVersions = readyVersions
    this.#clock = clock
  }

  /** Those that serve and have requests or sequences. */
  get busy(): Resident[] {
    return this.#residents.byAge.filter((one) => one.state === 'here' && !this.#isUnused(one))
  }

  /**
   * The least recently used model that nothing uses, and the steps that it alone needed and that were not used since;
   * none when every model is in use.
   * @param but models that must stay.
   * @param among the only models that may go. Default: all.
   */
  victims(but: ReadonlySet<string>, among?: ReadonlySet<string>): Resident[] {
    return this.#next((one) => !but.has(one.name) && this.#isUnused(one), none, among)
  }

  /**
   * The least recently used models of those that are in use by ordinary requests alone, to make room: no lease keeps
   * them, no live sequence, and no ensemble but one that goes, too.
   * @param bytes how much is needed; none are told where all together have less.
   * @param but models that must stay.
   * @param stay how long a model serves at least, in milliseconds.
   */
  busyVictims(bytes: number, but: ReadonlySet<string>, stay: number): Resident[] {
    const latest = this.#clock.now() - stay
    const mayGo = (one: Resident): boolean => !but.has(one.name) && one.cameAt <= latest && !this.#hasSequences(one)
    const going = new Set<Resident>()
    for (let next = this.#next(mayGo, going); next.length > 0; next = this.#next(mayGo, going)) {
      for (const one of next) going.add(one)
    }
    if (sizeOf([...going]) < bytes) return []
    // Those that were told before may have requests that never end.
    let rest = bytes
    return [...going].filter((one) => {
      if (one.isDraining || rest <= 0) return false
      rest -= one.bytes
      return true
    })
  }

  /** The first that may go beside those in `going`, and its steps that then may, too. */
  #next(mayGo: (resident: Resident) => boolean, going: ReadonlySet<Resident>, among?: ReadonlySet<string>): Resident[] {
    const { byAge } = this.#residents
    const isNext = (one: Resident, others: ReadonlySet<Resident>): boolean =>
      !others.has(one) && isFree(one) && mayGo(one) && this.#isUnneeded(one, others)
    const first = byAge.find((one) => (among?.has(one.name) ?? true) && isNext(one, going))
    if (first === undefined) return []
    const all = new Set([...going, first])
    const steps = byAge.filter(({ name, lastUse }) => first.steps.has(name) && lastUse <= first.lastUse)
    // A step that is an ensemble itself must go before what it needs.
    for (let before = 0; before < all.size; ) {
      before = all.size
      for (const step of steps) if (isNext(step, all)) all.add(step)
    }
    return [...all].filter((one) => !going.has(one))
  }

  #isUnneeded({ name }: Resident, going: ReadonlySet<Resident>): boolean {
    return this.#residents.dependents(name).every((dependent) => going.has(dependent))
  }

  #isUnused({ name }: Resident): boolean {
    return this.#readyVersions(name).every(({ isUnused }) => isUnused)
  }

  #hasSequences({ name }: Resident): boolean {
    return this.#readyVersions(name).some(({ hasSequences }) => hasSequences)
  }
}

const isFree = ({ state, holds, isPinned }: Resident): boolean => state === 'here' && holds === 0 && !isPinned

const sizeOf = (residents: readonly Resident[]): number => residents.reduce((sum, { bytes }) => sum + bytes, 0)

const none: ReadonlySet<Resident> = new Set()

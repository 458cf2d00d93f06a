import { Resident } from './resident.ts'

/** The models that have memory, and how much of it: who may go, and in which order. */
export class Residents {
  readonly #all = new Map<string, Resident>()
  /** Whether no request of a model is in flight or queued, and no sequence lives. */
  readonly #isUnused: (name: string) => boolean
  #used = 0
  #lastUse = 0

  constructor(isUnused: (name: string) => boolean) {
    this.#isUnused = isUnused
  }

  get(name: string): Resident | undefined {
    return this.#all.get(name)
  }

  /** Those that serve and have requests or sequences. */
  get busy(): Resident[] {
    return [...this.#all.values()].filter(({ state, name }) => state === 'here' && !this.#isUnused(name))
  }

  /** Bytes that are taken, also by what is loading or leaving. */
  get used(): number {
    return this.#used
  }

  /** Bytes that come back by themselves. */
  get leaving(): number {
    return this.#sum(({ state }) => state === 'leaving')
  }

  /** Marks a model as used now. Returns undefined for one that does not serve. */
  use(name: string): Resident | undefined {
    const resident = this.#all.get(name)
    if (resident === undefined || resident.state !== 'here') return undefined
    resident.lastUse = ++this.#lastUse
    return resident
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
  bytesOf(names: ReadonlySet<string>, but: ReadonlySet<string>): number {
    const whole = new Set(names)
    for (const name of names) for (const step of this.#all.get(name)?.steps ?? []) whole.add(step)
    return this.#sum(({ name }) => whole.has(name) && !but.has(name))
  }

  /** Names of the models that `Server.load` keeps. */
  get pinned(): Set<string> {
    return new Set([...this.#all.values()].filter(({ isPinned }) => isPinned).map(({ name }) => name))
  }

  /**
   * The least recently used model that nothing uses, and the steps that it alone needed and that were not used since;
   * none when every model is in use.
   * @param but models that must stay.
   * @param among the only models that may go. Default: all.
   */
  victims(but: ReadonlySet<string>, among?: ReadonlySet<string>): Resident[] {
    const byAge = [...this.#all.values()].sort((a, b) => a.lastUse - b.lastUse)
    const first = byAge.find((one) => (among?.has(one.name) ?? true) && this.#mayGo(one, but, none))
    if (first === undefined) return []
    const going = new Set([first])
    const steps = byAge.filter(({ name, lastUse }) => first.steps.has(name) && lastUse <= first.lastUse)
    // A step that is an ensemble itself must go before what it needs.
    for (let before = 0; before < going.size; ) {
      before = going.size
      for (const step of steps) if (this.#mayGo(step, but, going)) going.add(step)
    }
    return [...going]
  }

  #mayGo(resident: Resident, but: ReadonlySet<string>, going: ReadonlySet<Resident>): boolean {
    const { name, state, holds, isPinned } = resident
    if (state !== 'here' || holds > 0 || isPinned || but.has(name)) return false
    return this.dependents(name).every((dependent) => going.has(dependent)) && this.#isUnused(name)
  }

  #sum(counts: (resident: Resident) => boolean): number {
    let bytes = 0
    for (const resident of this.#all.values()) if (counts(resident)) bytes += resident.bytes
    return bytes
  }
}

const none: ReadonlySet<Resident> = new Set()

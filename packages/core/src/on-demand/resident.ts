/** A model that has memory, as the budget sees it. */
export class Resident {
  readonly name: string
  /** `leaving`: it is out of service, but its memory is not back yet. */
  state: 'loading' | 'here' | 'leaving' = 'loading'
  /**
   * It makes room for a load that has waited long enough: requests of applications wait for its next load. Those of
   * models do not, since one that runs may wait for them.
   */
  isDraining = false
  /** What it has of the budget. */
  bytes: number
  /** When it came into service, in milliseconds on the clock. */
  cameAt = 0
  /** When it was last asked for, as a number that grows. */
  lastUse = 0
  /** Leases, and loads that need it. */
  holds = 0
  /** `Server.load` brought it: it stays until `Server.unload`. */
  isPinned = false
  /** Models that it needs as an ensemble, directly or not. */
  readonly steps: ReadonlySet<string>

  constructor(name: string, bytes: number, steps: ReadonlySet<string>) {
    this.name = name
    this.bytes = bytes
    this.steps = steps
  }
}

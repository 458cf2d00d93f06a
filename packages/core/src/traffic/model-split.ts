import { RoundRobin } from './round-robin.ts'
import { defaultStickyParameter, type TrafficSplit } from './traffic-split.ts'
import { type VersionShare, versionShares } from './version-share.ts'

/** The traffic split of one model, or of the models of one name: its settings, whose turn it is, and what was counted. */
export class ModelSplit {
  /** As it was set. */
  readonly settings: TrafficSplit
  readonly shares: readonly VersionShare[]
  readonly stickyParameter: string
  /** By the id of the model. */
  readonly #turns = new Map<string, RoundRobin>()
  /** Requests by version, also of versions that have no weight any more. */
  readonly #requests: Map<number, number>

  /**
   * @param before the split that it takes the place of, whose requests stay counted.
   * @throws TritonError INVALID_ARG for weights that are none.
   */
  constructor(model: string, { weights, stickyParameter }: TrafficSplit, before?: ModelSplit) {
    this.shares = versionShares(weights, model)
    this.settings = Object.freeze({ weights: Object.freeze({ ...weights }), stickyParameter })
    this.stickyParameter = stickyParameter ?? defaultStickyParameter
    this.#requests = new Map(before?.requests)
    for (const { version } of this.shares) if (!this.#requests.has(version)) this.#requests.set(version, 0)
  }

  /**
   * The version of a model whose turn it is. Turns begin anew when other versions are ready: what a version had in other
   * company is not made up for.
   * @param shares those of its versions that are ready.
   */
  next(id: string, shares: readonly VersionShare[]): number | undefined {
    let turns = this.#turns.get(id)
    if (turns === undefined || !turns.areOf(shares)) {
      turns = new RoundRobin(shares)
      this.#turns.set(id, turns)
    }
    return turns.next()
  }

  count(version: number): void {
    this.#requests.set(version, (this.#requests.get(version) ?? 0) + 1)
  }

  get requests(): ReadonlyMap<number, number> {
    return this.#requests
  }
}

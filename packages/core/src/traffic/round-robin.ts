import { totalWeight, type VersionShare } from './version-share.ts'

interface Turn extends VersionShare {
  /** How much it was passed over, less what it had. */
  credit: number
}

/**
 * Gives versions turns by their weights, spread evenly (smooth weighted round robin): of as many turns as the weights
 * add up to, each version has exactly its weight.
 */
export class RoundRobin {
  readonly #shares: readonly VersionShare[]
  readonly #turns: readonly Turn[]
  readonly #total: number

  constructor(shares: readonly VersionShare[]) {
    this.#shares = shares
    this.#turns = shares.map((share) => ({ ...share, credit: 0 }))
    this.#total = totalWeight(shares)
  }

  /** Whether these are the shares that it was made of. */
  areOf(shares: readonly VersionShare[]): boolean {
    return shares.length === this.#shares.length && shares.every((share, i) => share === this.#shares[i])
  }

  /** The version whose turn it is; undefined where there is none. */
  next(): number | undefined {
    let first: Turn | undefined
    for (const turn of this.#turns) {
      turn.credit += turn.weight
      if (first === undefined || turn.credit > first.credit) first = turn
    }
    if (first !== undefined) first.credit -= this.#total
    return first?.version
  }
}

/** A quantile to be told, and how far the rank of what is told may be off: 0.9 and 0.01 is one between 0.89 and 0.91. */
export interface SummaryQuantile {
  /** Above 0 and below 1. */
  readonly quantile: number
  /** Above 0 and below 1. */
  readonly error: number
}

const bufferSize = 500

/**
 * Quantiles of a stream of numbers without keeping them all: the targeted quantiles of Cormode, Korn, Muthukrishnan and
 * Srivastava, "Effective Computation of Biased Quantiles over Data Streams" (2005). Values that no target needs are
 * merged into their successors, so a million of them are kept in some hundreds.
 */
export class QuantileStream {
  readonly #targets: readonly SummaryQuantile[]
  #buffer: number[] = []
  /** What is kept, ascending. */
  #values: number[] = []
  /** How many values each stands for: the distance of its least rank from that of the one before. */
  #widths: number[] = []
  /** By how much its rank may be above the least. */
  #slacks: number[] = []
  /** Values that are not in the buffer. */
  #count = 0

  constructor(targets: readonly SummaryQuantile[]) {
    this.#targets = targets
  }

  insert(value: number): void {
    if (this.#buffer.push(value) === bufferSize) this.#flush()
  }

  /** @returns NaN without values. */
  query(quantile: number): number {
    this.#flush()
    const rank = Math.ceil(quantile * this.#count)
    const most = rank + this.#allowed(rank) / 2
    let least = 0
    for (let i = 1; i < this.#values.length; i++) {
      least += this.#widths[i - 1] as number
      if (least + (this.#widths[i] as number) + (this.#slacks[i] as number) > most) return this.#values[i - 1] as number
    }
    return this.#values.at(-1) ?? Number.NaN
  }

  clear(): void {
    this.#buffer = []
    this.#values = []
    this.#widths = []
    this.#slacks = []
    this.#count = 0
  }

  /** By how much the rank of a value near `rank` may be unknown. */
  #allowed(rank: number): number {
    let least = this.#count + 1
    for (const { quantile, error } of this.#targets) {
      const above = rank > quantile * this.#count
      const allowed = above ? (2 * error * (this.#count - rank)) / (1 - quantile) : (2 * error * rank) / quantile
      least = Math.min(least, allowed)
    }
    return Math.max(1, least)
  }

  #flush(): void {
    if (this.#buffer.length === 0) return
    this.#merge(this.#buffer.sort((a, b) => a - b))
    this.#buffer = []
    this.#compress()
  }

  #merge(sorted: readonly number[]): void {
    const [values, widths, slacks] = [this.#values, this.#widths, this.#slacks]
    this.#values = []
    this.#widths = []
    this.#slacks = []
    let old = 0
    let least = 0
    const keep = (): void => {
      least += widths[old] as number
      this.#keep(values[old] as number, widths[old] as number, slacks[old++] as number)
    }
    for (const value of sorted) {
      while (old < values.length && (values[old] as number) <= value) keep()
      this.#count++
      const isEnd = old === 0 || old === values.length
      least++
      this.#keep(value, 1, isEnd ? 0 : Math.max(0, Math.floor(this.#allowed(least)) - 1))
    }
    while (old < values.length) keep()
  }

  #keep(value: number, width: number, slack: number): void {
    this.#values.push(value)
    this.#widths.push(width)
    this.#slacks.push(slack)
  }

  /** From the greatest down, each takes in its predecessor where the ranks stay known well enough. */
  #compress(): void {
    const [values, widths, slacks] = [this.#values, this.#widths, this.#slacks]
    let last = values.length - 1
    let least = this.#count - (widths[last] as number)
    for (let i = last - 1; i >= 0; i--) {
      const width = widths[i] as number
      const merged = width + (widths[last] as number)
      least -= width
      if (i > 0 && merged + (slacks[last] as number) <= this.#allowed(least)) {
        widths[last] = merged
        continue
      }
      last--
      values[last] = values[i] as number
      widths[last] = width
      slacks[last] = slacks[i] as number
    }
    values.splice(0, last)
    widths.splice(0, last)
    slacks.splice(0, last)
  }
}

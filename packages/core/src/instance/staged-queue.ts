import type { Contender } from './contender.ts'

/** The contenders that wait for their turn, the next one first: the lowest rank, and of equal ones the longest staged. */
export class StagedQueue {
  readonly #contenders: Contender[] = []

  get first(): Contender | undefined {
    return this.#contenders[0]
  }

  add(contender: Contender): void {
    let low = 0
    let high = this.#contenders.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#contenders[middle] as Contender).rank <= contender.rank) low = middle + 1
      else high = middle
    }
    this.#contenders.splice(low, 0, contender)
  }

  remove(contender: Contender): void {
    this.#contenders.splice(this.#contenders.indexOf(contender), 1)
  }
}

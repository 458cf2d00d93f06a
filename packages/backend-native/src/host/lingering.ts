import { TwoTurns } from './two-turns.ts'

const lingerMilliseconds = 100

export interface Lingerer {
  /** Nothing is expected any more. */
  forget(): void
}

/** Keeps what is through for a moment: libraries may report the times of a run, or of its last response, after its end. */
export class Lingering {
  readonly #through = new TwoTurns<Lingerer>(lingerMilliseconds, (lingerer) => lingerer.forget())

  /** Calls `forget` within 100 to 200 ms. */
  add(lingerer: Lingerer): void {
    this.#through.add(lingerer)
  }
}

import { type TraceSettings, whyInvalid } from './trace-settings.ts'

/** Decides which requests are traced; every change of settings makes a new one, which counts from the start. */
export class TraceSampler {
  readonly #rate: number
  readonly #isValid: boolean
  readonly #isOn: boolean
  #seen = 0
  #remaining: number
  #taken = 0

  constructor(settings: TraceSettings) {
    this.#rate = settings.rate
    this.#isOn = settings.level.length > 0
    this.#isValid = whyInvalid(settings) === undefined
    this.#remaining = settings.count
  }

  /** Whether any request may be traced. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** How many traces are still to be made; -1: any number. */
  get remaining(): number {
    return this.#remaining
  }

  /** How many requests were chosen. */
  get taken(): number {
    return this.#taken
  }

  /** Counts a request. @param isForced it is traced anyway, and takes its turn. */
  sample(isForced: boolean): boolean {
    const isChosen = (isForced || this.#isOpen) && this.#isTurn()
    if (isChosen && this.#remaining > 0) this.#remaining--
    if (isChosen) this.#taken++
    return isChosen || isForced
  }

  get #isOpen(): boolean {
    return this.#isValid && this.#remaining !== 0
  }

  #isTurn(): boolean {
    return this.#rate !== 0 && ++this.#seen % this.#rate === 0 && this.#remaining !== 0
  }
}

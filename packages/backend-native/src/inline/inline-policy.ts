/** A run of this many milliseconds or less is worth less than the hop to another thread and back. */
const shortRun = 0.05
/** A run that takes longer than this shows that the model's time depends on more than the size of its inputs. */
const longRun = 1
/** Short runs in a row that have to be seen on the thread first. */
const runsNeeded = 32
/** Of all inline runs, how many may be longer than `shortRun`: on a busy machine every run is interrupted at times. */
const tolerated = 0.02

/**
 * Whether an instance may run in the calling thread. It learns from the runs on its own thread: only after many short
 * ones, only for inputs no larger than theirs, and not any more once runs turn out longer. One run above a millisecond,
 * wherever it happens, ends it for good.
 */
export class InlinePolicy {
  #isAllowed: boolean
  #shortRuns = 0
  #largestBytes = 0
  #inlineRuns = 0
  #overlong = 0

  /** @param isAllowed false: every run is on the thread. */
  constructor(isAllowed: boolean) {
    this.#isAllowed = isAllowed
  }

  /** @param bytes of all inputs of the batch. */
  accepts(bytes: number): boolean {
    return this.#isAllowed && this.#shortRuns >= runsNeeded && bytes <= this.#largestBytes
  }

  /** @param milliseconds that the library took. */
  note(bytes: number, milliseconds: number, wasInline: boolean): void {
    if (!this.#isAllowed) return
    if (milliseconds > longRun) this.#isAllowed = false
    else if (wasInline) this.#noteInline(milliseconds)
    else this.#noteThread(bytes, milliseconds)
  }

  #noteThread(bytes: number, milliseconds: number): void {
    if (milliseconds <= shortRun) {
      this.#shortRuns++
      this.#largestBytes = Math.max(this.#largestBytes, bytes)
    } else this.#startAgain()
  }

  #noteInline(milliseconds: number): void {
    this.#inlineRuns++
    if (milliseconds <= shortRun) return
    this.#overlong++
    if (this.#overlong > Math.max(3, this.#inlineRuns * tolerated)) this.#startAgain()
  }

  #startAgain(): void {
    this.#shortRuns = 0
    this.#largestBytes = 0
    this.#inlineRuns = 0
    this.#overlong = 0
  }
}

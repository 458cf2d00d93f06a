/** A run of this many milliseconds or less is worth less than the hop to another thread and back. */
const shortRun = 0.05
/** A run that takes longer than this shows that the model's time may depend on more than the size of its inputs. */
const longRun = 1
/** Short runs in a row that have to be seen on the thread first. */
const runsNeeded = 32
/** By how many times more of them are needed after each long run of a model that had been learned. */
const distrust = 32
/** Of all inline runs, how many may be longer than `shortRun`: caches are cold at times. */
const tolerated = 0.02

/**
 * Whether an instance may run in the calling thread. It learns from the runs on its own thread: only after many short
 * ones, only for inputs no larger than theirs, and not any more once runs turn out longer. A long run of a model that had
 * been learned makes it learn for 32 times as long, so that a model whose time varies is soon on its thread for ever.
 * Processor time decides, since others on the machine make any run longer now and then; but a run counts as short only
 * where its total time is short, too, so that a model that waits for other threads or for a GPU stays on its own thread.
 */
export class InlinePolicy {
  readonly #isAllowed: boolean
  #needed = runsNeeded
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
    return this.#isAllowed && this.#shortRuns >= this.#needed && bytes <= this.#largestBytes
  }

  /**
   * @param processor milliseconds of processor time that the library took.
   * @param total milliseconds from its beginning to its end; undefined where the library did not tell.
   */
  note(bytes: number, processor: number, total: number | undefined, wasInline: boolean): void {
    if (processor > longRun) this.#distrust()
    else if (wasInline) this.#noteInline(processor, total)
    else this.#noteThread(bytes, processor, total)
  }

  #distrust(): void {
    // What has not been learned yet is as slow as it likes: the first runs of a model are.
    if (this.#shortRuns >= this.#needed) this.#needed *= distrust
    this.#startAgain()
  }

  #noteThread(bytes: number, processor: number, total: number | undefined): void {
    if (processor > shortRun) this.#startAgain()
    else if (total !== undefined && total <= shortRun) {
      this.#shortRuns++
      this.#largestBytes = Math.max(this.#largestBytes, bytes)
    }
  }

  #noteInline(processor: number, total = processor): void {
    this.#inlineRuns++
    if (processor <= shortRun && total <= longRun) return
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

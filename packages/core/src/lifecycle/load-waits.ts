import { TritonError } from '../errors.ts'

/** Which loads wait for the load or unload of another model, so that none ever waits for itself. */
export class LoadWaits {
  readonly #waits = new Set<{ readonly waiting: string; readonly awaited: string }>()

  /**
   * Does `work` while the load of the model `waiting` waits for it.
   * @throws TritonError INVALID_ARG when `awaited` waits for that load already.
   */
  async during(waiting: string, awaited: string, work: () => Promise<void>): Promise<void> {
    if (this.#waitsFor(awaited, waiting)) {
      const own = `the load of model '${waiting}' cannot wait for a load or unload of`
      const text =
        awaited === waiting ? `${own} itself` : `${own} model '${awaited}', which waits for model '${waiting}'`
      throw new TritonError('INVALID_ARG', text)
    }
    const wait = { waiting, awaited }
    this.#waits.add(wait)
    try {
      await work()
    } finally {
      this.#waits.delete(wait)
    }
  }

  #waitsFor(from: string, to: string): boolean {
    const reached = new Set([from])
    // A set goes on with what is added while it is iterated.
    for (const name of reached) {
      for (const { waiting, awaited } of this.#waits) if (waiting === name) reached.add(awaited)
    }
    return reached.has(to)
  }
}

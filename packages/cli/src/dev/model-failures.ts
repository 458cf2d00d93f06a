import { systemClock } from '@triton-ts/core'

/** Milliseconds: what a file watch tells of one save may come in parts. */
const sameSave = 1000

/** Models that were saved together. */
export interface Change {
  /** Names of directories in the repositories. */
  readonly models: ReadonlySet<string>
  /** When the first file was saved, in milliseconds on the system's clock. */
  readonly at: number
}

/** Which models fail, and whether that is news: a model that fails is loaded again, and fails again, at every look. */
export class ModelFailures {
  /** The last error of each model, and when it was told. */
  readonly #errors = new Map<string, { readonly message: string; readonly at: number }>()
  /** Models that failed at a look. */
  readonly #failed = new Set<string>()
  /** Models of which something was heard since the latest look began. */
  readonly #heard = new Set<string>()
  #isLooking = false
  #change: Change | undefined

  /** What the look under way is because of. */
  get change(): Change | undefined {
    return this.#change
  }

  /** @param change undefined: a look to be sure. */
  beginLook(change: Change | undefined): void {
    this.#isLooking = true
    this.#change = change
    this.#heard.clear()
  }

  /** Returns the models that failed before, and of which nothing was heard this time: their files are as they were. */
  endLook(): string[] {
    this.#isLooking = false
    this.#change = undefined
    const mended = [...this.#failed].filter((model) => !this.#heard.has(model))
    for (const model of mended) this.forget(model)
    return mended
  }

  /** The model is being dealt with. */
  hear(model: string): void {
    this.#heard.add(model)
  }

  /** Notes an error; returns whether it is news. The same one is when somebody saved the model again. */
  add(model: string, message: string): boolean {
    this.hear(model)
    if (this.#isLooking) this.#failed.add(model)
    // Before it may be the repository.
    const name = model.slice(model.lastIndexOf(':') + 1)
    const last = this.#errors.get(model)
    const at = systemClock.now()
    const isSaved = this.#change?.models.has(name) && at - (last?.at ?? 0) > sameSave
    if (last?.message === message && !isSaved) return false
    this.#errors.set(model, { message, at })
    return true
  }

  /** The model does not fail any more. */
  forget(model: string): void {
    this.#failed.delete(model)
    this.#errors.delete(model)
  }
}

import type { Ensembles } from './ensembles/ensembles.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelEntry } from './model-entry.ts'
import { replaceLoaded } from './model-files.ts'
import type { Unloading } from './unloading.ts'

/** Takes models out of service, and with them what only they needed. */
export class ModelUnloader {
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles

  constructor(entries: ModelEntries, ensembles: Ensembles) {
    this.#entries = entries
    this.#ensembles = ensembles
  }

  /**
   * Takes all versions of a model out of service, and the ensembles that need it.
   * @param withSteps whether the models go with it that only it needed, as soon as its requests are answered.
   * @param unloading hears what goes, if somebody wants to know.
   */
  unload(entry: ModelEntry, withSteps: boolean, unloading?: Unloading): void {
    const { id, ready } = entry
    entry.isExplicit = false
    this.#entries.forgiveLack(id)
    void replaceLoaded(entry, undefined, ready, this.#entries.live)
    unloading?.add(ready, this.#entries.live.cleanedUp(ready))
    for (const { version } of ready) this.#entries.retire(entry, version)
    entry.failure = undefined
    const steps = [...this.#ensembles.forget(id)]
    this.#ensembles.refresh(id)
    if (!withSteps) return
    if (ready.every((model) => model.isIdle)) this.#unloadUnneeded(steps, unloading)
    else {
      const later = Promise.all(ready.map((model) => model.drained())).then(() =>
        this.#unloadUnneeded(steps, unloading),
      )
      unloading?.waitFor(later)
      this.#entries.live.track(`what only model '${id}' needed`, () => later)
    }
  }

  /** Those that nobody asked for and no ensemble needs; what is being loaded is needed. */
  #unloadUnneeded(models: readonly string[], unloading: Unloading | undefined): void {
    for (const model of models) {
      const entry = this.#entries.entry(model)
      if (entry.isIdle && !entry.isExplicit && !this.#ensembles.isNeeded(model)) this.unload(entry, true, unloading)
      this.#entries.tidy(entry)
    }
  }
}

import type { TritonError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import { memorySizeText } from '../util/memory-size.ts'
import { RecentRss } from '../util/recent-rss.ts'
import type { ModelVersion } from './model-version.ts'

/** Every model version that holds resources, in service or not, and what is to be cleaned up after them. */
export class LiveVersions {
  readonly #logger: Logger
  readonly #models = new Set<ModelVersion>()
  readonly #cleanups = new Set<Promise<void>>()
  /** What is done when a version is gone. */
  readonly #afterwards = new WeakMap<ModelVersion, readonly Promise<void>[]>()
  /** Those that `drained` waits for. */
  readonly #draining = new Set<ModelVersion>()
  /** Before what was disposed in this turn of the event loop, and after it. */
  readonly #rss = { before: new RecentRss(), after: new RecentRss() }
  #accepting = true

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add(model: ModelVersion): void {
    this.#models.add(model)
    if (!this.#accepting) model.stopAccepting()
  }

  /** Gives a version's resources back as soon as its requests are answered; `settled` waits for that. */
  dispose(model: ModelVersion): void {
    this.#models.add(model)
    this.track(`model '${model.name}' version ${model.version}`, async () => {
      const before = this.#rss.before.bytes
      try {
        await model.dispose()
      } finally {
        this.#models.delete(model)
      }
      this.#logGone(model, before)
    })
  }

  /** Ensembles have no memory of their own. */
  #logGone({ id, version, instances }: ModelVersion, rssBefore: number): void {
    if (instances.length === 0) return
    const rss = `RSS ${memorySizeText(rssBefore)} -> ${memorySizeText(this.#rss.after.bytes)}`
    this.#logger.info({ model: id, version }, `model '${id}' version ${version} is gone: ${rss}`)
  }

  /** Does `work` when all of these versions are gone. Resolves after it, never rejects. */
  whenGone(models: readonly ModelVersion[], what: string, work: () => Promise<void>): Promise<void> {
    const cleanup = this.track(what, async () => {
      await Promise.all(models.map((model) => model.gone))
      await work()
    })
    for (const model of models) this.#afterwards.set(model, [...(this.#afterwards.get(model) ?? []), cleanup])
    return cleanup
  }

  /** Resolves when these versions are gone, and all is done that was to be done then. */
  async cleanedUp(models: readonly ModelVersion[]): Promise<void> {
    await Promise.all(models.flatMap((model) => [model.gone, ...(this.#afterwards.get(model) ?? [])]))
  }

  /** Of those that are there and those that are added later. */
  stopAccepting(): void {
    this.#accepting = false
    for (const model of this.#models) model.stopAccepting()
  }

  /** Answers every request in flight with `error`, and logs what had to be given up. */
  abandonAll(error: TritonError): void {
    for (const { name, version, inflight } of this.#draining) {
      const rest =
        inflight > 0 ? `${inflight} request${inflight === 1 ? '' : 's'} in flight` : 'sequences that have not ended'
      this.#logger.warn({ model: name, version }, `model '${name}' version ${version} is given up with ${rest}`)
    }
    for (const model of this.#models) model.abandonAll(error)
  }

  /** Resolves when no request is in flight, nor one that they sent to a model that had none any more. */
  async drained(): Promise<void> {
    do await this.#drainEach()
    while ([...this.#models].some(({ inflight }) => inflight > 0))
  }

  async #drainEach(): Promise<void> {
    await Promise.all(
      [...this.#models].map(async (model) => {
        this.#draining.add(model)
        await model.drained()
        this.#draining.delete(model)
      }),
    )
  }

  /** Resolves when everything that was to be given back is. */
  async settled(): Promise<void> {
    while (this.#cleanups.size > 0) await Promise.all(this.#cleanups)
  }

  /** Does clean-up `work` that `settled` waits for; when it fails that is logged. Never rejects. */
  track(what: string, work: () => Promise<void>): Promise<void> {
    const cleanup = work()
      .catch((error: unknown) => this.#logger.error({ err: error }, `failed to clean up ${what}`))
      .finally(() => this.#cleanups.delete(cleanup))
    this.#cleanups.add(cleanup)
    return cleanup
  }
}

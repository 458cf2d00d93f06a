import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { TritonError } from '../errors.ts'
import { Ensembles } from './ensembles/ensembles.ts'
import { LoadOperation } from './load-operation.ts'
import type { LoadContext } from './load-version.ts'
import { LoadWaits } from './load-waits.ts'
import type { ModelEntries } from './model-entries.ts'
import { ModelLoader } from './model-loader.ts'
import { ModelUnloader } from './model-unloader.ts'
import type { LoadOptions, PollOptions } from './poll-model.ts'
import type { Unloading } from './unloading.ts'
import type { VersionLoader } from './version-loader.ts'

/** Loads and unloads models, each by its id, one thing at a time with each of them. */
export class ModelControl {
  readonly #versions: VersionLoader
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles
  readonly #loader: ModelLoader
  readonly #unloader: ModelUnloader
  readonly #waits = new LoadWaits()
  readonly #stopping = new AbortController()

  constructor(poll: PollOptions, context: LoadContext, versions: VersionLoader, entries: ModelEntries) {
    const { logger } = context
    const ensembles = new Ensembles(entries, context)
    this.#versions = versions
    this.#entries = entries
    this.#ensembles = ensembles
    const parts = { poll, repository: poll.repository, versions, entries, ensembles, waits: this.#waits, logger }
    this.#loader = new ModelLoader(parts)
    this.#unloader = new ModelUnloader(entries, ensembles)
  }

  /** @see ModelManager.loadEach */
  async loadEach(
    ids: readonly string[],
    options: LoadOptions,
    untouched?: ReadonlySet<string>,
  ): Promise<Map<string, TritonError>> {
    const failures = new Map<string, TritonError>()
    const requested = new Map(ids.map((id) => [id, options]))
    const signal = this.signalOf(options)
    const operation = new LoadOperation(requested, signal, (id, all) => this.#loader.load(id, all), untouched)
    await beginEach(ids, (id) =>
      operation.load(id).catch((error: unknown) => {
        failures.set(id, TritonError.from(error))
      }),
    )
    return failures
  }

  /**
   * Takes a model out of service.
   * @param withSteps whether what only it needed goes with it.
   */
  unload(id: string, withSteps: boolean, unloading?: Unloading): Promise<void> {
    return this.#entries.exclusive(id, async (entry) => this.#unloader.unload(entry, withSteps, unloading))
  }

  /** @see ModelManager.unloadEach */
  async unloadEach(ids: readonly string[]): Promise<void> {
    for (let rest = ids; rest.length > 0; ) {
      const needed = new Set(rest.filter((id) => this.#ensembles.isNeeded(id)))
      // Nothing of a circle is in service, and what stays needs something that goes.
      const isStuck = needed.size === rest.length
      const now = isStuck ? rest : rest.filter((id) => !needed.has(id))
      await beginEach(now, (id) => this.unload(id, false))
      rest = isStuck ? [] : [...needed]
    }
  }

  /**
   * Does what the load of `waiting` waits for, the load or unload of other models.
   * @param waiting an id.
   * @param awaited ids.
   * @throws TritonError INVALID_ARG when one of these waits for the load of `waiting`.
   */
  async whileWaiting(waiting: string, awaited: readonly string[], work: () => Promise<void>): Promise<void> {
    const begin = (): Promise<void> => this.#versions.lendPlace(work)
    await awaited.reduce((inner, id) => () => this.#waits.during(waiting, id, inner), begin)()
  }

  /** Gives up loads under way, and those that still come. */
  stop(reason: TritonError): void {
    this.#stopping.abort(reason)
  }

  /** What gives a load up: its caller, or the stop. */
  signalOf({ signal }: LoadOptions): AbortSignal {
    const given = signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal])
    // Each instance may listen, and Node warns of more than ten.
    setMaxListeners(0, given)
    return given
  }
}

/** Begins with all of them, a hundred at a time: to begin with thousands at once would hold up the event loop. */
async function beginEach(ids: readonly string[], begin: (id: string) => Promise<void>): Promise<void> {
  const parts: Promise<unknown>[] = []
  for (let at = 0; at < ids.length; at += 100) {
    if (at > 0) await setImmediate()
    const part = Promise.all(ids.slice(at, at + 100).map(begin))
    // What it fails with is awaited below.
    part.catch(() => {})
    parts.push(part)
  }
  await Promise.all(parts)
}

import type { Logger } from '@triton-ts/core'
import type { MetricCollector, ModelContext } from '@triton-ts/core/backend'
import type { BackendHandle, OpenedBackend } from '../host/binding.ts'
import type { Host } from '../host/host.ts'
import { backendConfigJson } from '../library/backend-config.ts'
import type { BackendLibrary } from '../library/backend-library.ts'
import { metricFamily } from './metric-family.ts'
import { OpenBackend } from './open-backend.ts'

/** A backend that is open for one of its models. */
export interface BackendLease {
  readonly handle: BackendHandle
  readonly opened: OpenedBackend
  /** The model is gone. The last one closes the backend. */
  release(): Promise<void>
}

interface Entry {
  readonly opening: Promise<OpenBackend>
  users: number
}

const pools = new WeakMap<Host, WeakMap<Logger, BackendPool>>()

/**
 * The backends that one Server has open. As in Triton, all models of a library with the same settings share one; it is
 * open from the first model to the last.
 */
export class BackendPool {
  readonly #host: Host
  readonly #entries = new Map<string, Entry>()
  /** A library must not begin anew before it has ended. */
  readonly #closing = new Map<string, Promise<void>>()
  #takeMetricsBack: (() => void) | undefined

  private constructor(host: Host) {
    this.#host = host
  }

  /** A Server is known by its logger, which all its models are given. */
  static of(host: Host, { logger }: Pick<ModelContext, 'logger'>): BackendPool {
    let ofHost = pools.get(host)
    if (ofHost === undefined) {
      ofHost = new WeakMap()
      pools.set(host, ofHost)
    }
    let pool = ofHost.get(logger)
    if (pool === undefined) {
      pool = new BackendPool(host)
      ofHost.set(logger, pool)
    }
    return pool
  }

  async lease(library: BackendLibrary, model: ModelContext): Promise<BackendLease> {
    const config = backendConfigJson(model, library)
    const key = JSON.stringify([library.name, library.path, library.verbose, config])
    // Others may have waited for the same end and opened it meanwhile.
    for (let end = this.#closing.get(key); end !== undefined; end = this.#closing.get(key)) await end
    const entry = this.#entries.get(key) ?? this.#open(key, library, config, model)
    entry.users++
    try {
      const { handle, opened } = await entry.opening
      return { handle, opened, release: () => this.#release(key, entry) }
    } catch (error) {
      // Whoever shares it fails too, maybe after another one was opened.
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      this.#stopMetricsIfIdle()
      throw error
    }
  }

  #open(key: string, library: BackendLibrary, config: string, model: ModelContext): Entry {
    const entry: Entry = { opening: OpenBackend.open(this.#host, library, config, model.logger), users: 0 }
    this.#entries.set(key, entry)
    this.#takeMetricsBack ??= model.collectMetrics(this.#collect)
    return entry
  }

  async #release(key: string, entry: Entry): Promise<void> {
    if (--entry.users > 0) return
    this.#entries.delete(key)
    const closing = entry.opening
      .then((backend) => backend.close())
      .finally(() => {
        this.#closing.delete(key)
        this.#stopMetricsIfIdle()
      })
    // Who opens it again only wants to know that it has ended.
    this.#closing.set(
      key,
      closing.catch(() => {}),
    )
    await closing
  }

  readonly #collect: MetricCollector = () => this.#host.binding.collectMetrics(this.#host.handle).map(metricFamily)

  #stopMetricsIfIdle(): void {
    if (this.#entries.size > 0) return
    this.#takeMetricsBack?.()
    this.#takeMetricsBack = undefined
  }
}

import { setMaxListeners } from 'node:events'
import { TritonError } from '../errors.ts'
import type { ModelManager } from '../lifecycle/model-manager.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { LookLog } from './look-log.ts'
import { repositoryChanges } from './repository-changes.ts'
import { SettledModels } from './settled-models.ts'

/** What a poller works with. */
export interface RepositoryPollerParts {
  readonly repository: ModelRepository
  readonly manager: ModelManager
  /** Milliseconds from the end of one look to the next; 0: only when asked to. */
  readonly interval: number
  /** Milliseconds that a changed model must stay as it is before it is loaded. */
  readonly settleTime: number
  readonly clock: Clock
  /** For the time between two looks, which need not keep the process alive. */
  readonly background: Clock
  readonly logger: Logger
}

/**
 * Looks at the repositories again and again, and has what changed loaded or unloaded. A model whose files still change
 * is being copied: it waits.
 */
export class RepositoryPoller {
  readonly #parts: RepositoryPollerParts
  readonly #stopping = new AbortController()
  readonly #settled: SettledModels
  readonly #log: LookLog
  #timer: Timer | undefined
  /** The end of the latest look. */
  #last: Promise<void> = Promise.resolve()
  /** A look that has not begun. */
  #next: Promise<void> | undefined

  constructor(parts: RepositoryPollerParts) {
    this.#parts = parts
    // Many models are read at the same time, and Node warns of more than ten listeners.
    setMaxListeners(0, this.#stopping.signal)
    this.#log = new LookLog(parts.logger)
    this.#settled = new SettledModels(parts.repository, parts.settleTime, parts.clock)
  }

  /** The first look is at once, the next one an interval after its end. */
  start(): void {
    if (this.#parts.interval > 0) this.#schedule(0)
  }

  /**
   * One look, and all that follows from it. A call during a look waits for one that begins after it.
   * @throws TritonError CANCELLED after `stop`. What fails to load is logged.
   */
  poll(): Promise<void> {
    if (this.#next === undefined) {
      const begin = (): Promise<void> => {
        this.#next = undefined
        return this.#look()
      }
      this.#next = this.#last.then(begin, begin)
      this.#last = this.#next
    }
    return this.#next
  }

  /** Gives up the look under way. Called once. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#stopping.abort(new TritonError('CANCELLED', 'the look at the repositories was given up'))
    await this.#last.catch(() => {})
  }

  #schedule(delay: number): void {
    const look = async (): Promise<void> => {
      await this.poll().catch((err: unknown) => {
        if (!this.#signal.aborted) this.#parts.logger.error({ err }, 'the look at the repositories failed')
      })
      if (!this.#signal.aborted) this.#schedule(this.#parts.interval)
    }
    this.#timer = this.#parts.background.schedule(() => void look(), delay)
  }

  async #look(): Promise<void> {
    const { repository, manager } = this.#parts
    const signal = this.#signal
    signal.throwIfAborted()
    const look = await repository.lookAll(signal)
    signal.throwIfAborted()
    this.#log.add(look)
    const { gone, changed } = repositoryChanges(manager.known(), look)
    await manager.unloadEach(gone)
    const settled = await this.#settled.among(changed, signal)
    signal.throwIfAborted()
    const unsettled = new Set(changed.map(({ id }) => id).filter((id) => !settled.has(id)))
    for (const model of unsettled) {
      this.#parts.logger.info({ model }, `model '${model}' is still changing; it is loaded when it stays as it is`)
    }
    await manager.loadEach([...settled], { signal }, unsettled)
    signal.throwIfAborted()
  }

  get #signal(): AbortSignal {
    return this.#stopping.signal
  }
}

import { TritonError } from '../errors.ts'
import type { ModelPlace } from '../repository/model-place.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import type { ModelManager } from './model-manager.ts'
import { isSettled, repositoryChanges } from './repository-changes.ts'

/** What a poller works with. */
export interface RepositoryPollerParts {
  readonly repository: ModelRepository
  readonly manager: ModelManager
  /** Milliseconds from the end of one look to the next; 0: only when asked to. */
  readonly interval: number
  /** Milliseconds that a changed model must stay as it is before it is loaded. */
  readonly settleTime: number
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Looks at the repositories again and again, and has what changed loaded or unloaded. A model whose files still change
 * is being copied: it waits.
 */
export class RepositoryPoller {
  readonly #parts: RepositoryPollerParts
  readonly #stopping = new AbortController()
  /** Changed models, as they were at the last look, by id. */
  #unsettled: ReadonlyMap<string, ModelPlace> = new Map()
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(parts: RepositoryPollerParts) {
    this.#parts = parts
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
    if (this.#running === undefined) return this.#begin()
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  /** Gives up the look under way. Called once. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#stopping.abort(new TritonError('UNAVAILABLE', 'Server is stopping'))
    await this.#running?.catch(() => {})
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  #schedule(delay: number): void {
    this.#timer = this.#parts.clock.schedule(() => {
      this.poll()
        .catch((err: unknown) => {
          if (!this.#isStopping) this.#parts.logger.error({ err }, 'the look at the repositories failed')
        })
        .finally(() => {
          if (!this.#isStopping) this.#schedule(this.#parts.interval)
        })
    }, delay)
  }

  async #look(): Promise<void> {
    const { repository, manager, logger } = this.#parts
    this.#expectRunning()
    const look = await repository.lookAll(this.#stopping.signal)
    this.#expectRunning()
    for (const [path, err] of look.unreadable) {
      logger.error({ err }, `failed to poll model repository '${path}'; its models stay as they are`)
    }
    const { gone, changed } = repositoryChanges(manager.known(), look)
    await manager.unloadEach(gone)
    const settled = await this.#settled(changed)
    this.#expectRunning()
    await manager.loadEach(settled, { signal: this.#stopping.signal })
  }

  /** Ids of those that are as they were at the last look, or are still so after the settle time. */
  async #settled(changed: readonly ModelPlace[]): Promise<string[]> {
    const before = this.#unsettled
    const isAsBefore = (place: ModelPlace): boolean => {
      const last = before.get(place.id)
      return last !== undefined && isSettled(last, place)
    }
    this.#unsettled = new Map(changed.map((place) => [place.id, place]))
    const settled = changed.filter(isAsBefore).map(({ id }) => id)
    const waiting = changed.filter((place) => !isAsBefore(place))
    if (waiting.length === 0) return settled
    await this.#wait(this.#parts.settleTime)
    return [...settled, ...(await this.#unchanged(waiting))]
  }

  async #unchanged(places: readonly ModelPlace[]): Promise<string[]> {
    const { repository, logger } = this.#parts
    const unchanged: string[] = []
    const unsettled = new Map(this.#unsettled)
    for (const place of places) {
      this.#expectRunning()
      const now = await repository.find(place.id, this.#stopping.signal).catch(() => undefined)
      if (now === undefined || now === 'duplicate') continue
      if (isSettled(place, now)) unchanged.push(place.id)
      else
        logger.info({ model: place.id }, `model '${place.id}' is still changing; it is loaded when it stays as it is`)
      unsettled.set(place.id, now)
    }
    this.#unsettled = unsettled
    return unchanged
  }

  /** Ends early when the poller stops. */
  #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = this.#parts.clock.schedule(end, milliseconds)
      signal.addEventListener('abort', end)
    })
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  #expectRunning(): void {
    if (this.#isStopping) throw new TritonError('CANCELLED', 'the look at the repositories was given up')
  }
}

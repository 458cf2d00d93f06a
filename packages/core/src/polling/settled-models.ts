import type { ModelPlace } from '../repository/model-place.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import { abortable } from '../util/abortable.ts'
import type { Clock, Timer } from '../util/clock.ts'
import { inLanes } from '../util/in-lanes.ts'
import { isSettled } from './repository-changes.ts'

interface SeenModel {
  readonly place: ModelPlace
  /** Since when it is known to be like this, on the clock. */
  readonly since: number
}

/** Tells changed models whose files are complete from those that are still being copied: these change further. */
export class SettledModels {
  readonly #repository: ModelRepository
  readonly #settleTime: number
  readonly #clock: Clock
  /** Changed models as they were when last seen, by id. */
  #seen: ReadonlyMap<string, SeenModel> = new Map()

  /** @param settleTime milliseconds without a change after which a model counts as complete. */
  constructor(repository: ModelRepository, settleTime: number, clock: Clock) {
    this.#repository = repository
    this.#settleTime = settleTime
    this.#clock = clock
  }

  /**
   * Ids of those that have not changed for the settle time, or do not until it is over. What goes meanwhile, or cannot be
   * read, is not among them.
   * @param changed the models that have changed, at this look.
   * @throws the reason of `signal`, at once.
   */
  async among(changed: readonly ModelPlace[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const before = this.#seen
    const now = this.#clock.now()
    const seen = new Map<string, SeenModel>()
    const settled = new Set<string>()
    const waiting: ModelPlace[] = []
    for (const place of changed) {
      const last = before.get(place.id)
      const known = last !== undefined && isSettled(last.place, place) ? last : undefined
      seen.set(place.id, known ?? { place, since: now })
      if (known !== undefined && now - known.since >= this.#settleTime) settled.add(place.id)
      else waiting.push(place)
    }
    this.#seen = seen
    if (waiting.length === 0) return settled
    await this.#pause(signal)
    await inLanes(waiting, 16, async (place) => {
      const again = await this.#repository.find(place.id, signal).catch(() => undefined)
      signal.throwIfAborted()
      if (again === undefined || again === 'duplicate') return
      if (isSettled(place, again)) settled.add(place.id)
      else seen.set(place.id, { place: again, since: this.#clock.now() })
    })
    return settled
  }

  #pause(signal: AbortSignal): Promise<void> {
    let timer: Timer | undefined
    const pause = new Promise<void>((resolve) => {
      timer = this.#clock.schedule(resolve, this.#settleTime)
    })
    return abortable(pause, signal).finally(() => timer?.cancel())
  }
}

import type { DynamicBatching } from '../config/model-config.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { BatchQueue } from './batch-policy.ts'
import { DeadlineHeap } from './deadline-heap.ts'
import { QueueEntry } from './queue-entry.ts'
import { QueueLevel } from './queue-level.ts'

/** Empty levels that are kept for their next request, where there are no more levels than these. */
const keptLevels = 16

/**
 * Waiting requests by priority: all of level 1 comes before level 2, the delayed ones of a level last. Every step takes
 * constant time, however many wait.
 */
export class RequestQueue implements BatchQueue<QueueEntry> {
  readonly #config: DynamicBatching
  /** By priority, the highest first. */
  readonly #levels: QueueLevel[] = []
  readonly #deadlines = new DeadlineHeap<QueueEntry>()
  #length = 0
  #items = 0

  constructor(config: DynamicBatching) {
    this.#config = config
  }

  get length(): number {
    return this.#length
  }

  /** Sum of the batch sizes. */
  get items(): number {
    return this.#items
  }

  /** No deadline is before this. */
  get deadlineBound(): number {
    return this.#deadlines.bound
  }

  /** The earliest deadline. */
  get earliestDeadline(): number {
    return this.#deadlines.earliest
  }

  /** @throws TritonError UNAVAILABLE when the request's level is full. */
  add(request: InferenceRequest, batchKey: string): QueueEntry {
    const level = this.#level(request.priority)
    level.expectRoom(request)
    const entry = new QueueEntry(request, batchKey)
    request.queuePlace = entry
    level.waiting.push(entry)
    this.#length++
    this.#items += entry.size
    const timeout = level.timeoutOf(request)
    if (timeout > 0) entry.deadline = this.#deadlines.add(entry.enqueuedAt + timeout, entry)
    return entry
  }

  /** Takes a request out wherever it stands; false when it is not here. */
  remove({ queuePlace }: InferenceRequest): boolean {
    if (!(queuePlace instanceof QueueEntry)) return false
    this.#leave(queuePlace)
    return true
  }

  shift(): InferenceRequest | undefined {
    const entry = this.first()
    if (entry !== undefined) this.#leave(entry)
    return entry?.request
  }

  /** Takes out a request whose deadline is before `now`. Where the policy is DELAY it stays, as a delayed one. */
  shiftExpired(now: number): InferenceRequest | undefined {
    for (;;) {
      const entry = this.#deadlines.shiftBefore(now)
      if (entry === undefined) return undefined
      entry.deadline = undefined
      const level = this.#level(entry.request.priority)
      if (!level.delaysExpired) {
        this.#leave(entry)
        return entry.request
      }
      level.waiting.remove(entry)
      level.delayed.push(entry)
    }
  }

  first(): QueueEntry | undefined {
    return this.#firstFrom(0)
  }

  after(entry: QueueEntry): QueueEntry | undefined {
    if (entry.next !== undefined) return entry.next
    const index = this.#indexOf(entry.request.priority)
    const delayed = this.#levels[index]?.delayed
    return entry.list !== delayed && delayed?.first !== undefined ? delayed.first : this.#firstFrom(index + 1)
  }

  #firstFrom(start: number): QueueEntry | undefined {
    for (let i = start; i < this.#levels.length; i++) {
      const first = this.#levels[i]?.first
      if (first !== undefined) return first
    }
    return undefined
  }

  #leave(entry: QueueEntry): void {
    const { request, deadline } = entry
    entry.list?.remove(entry)
    request.queuePlace = undefined
    this.#length--
    this.#items -= entry.size
    if (this.#length === 0) this.#deadlines.clear()
    else if (deadline !== undefined) this.#deadlines.drop(deadline)
    if (this.#levels.length > keptLevels) this.#dropIfEmpty(this.#indexOf(request.priority))
  }

  #dropIfEmpty(index: number): void {
    if (this.#levels[index]?.length === 0) this.#levels.splice(index, 1)
  }

  #level(priority: number): QueueLevel {
    const index = this.#indexOf(priority)
    const found = this.#levels[index]
    if (found?.priority === priority) return found
    const { priorityLevels, priorityQueuePolicy, defaultQueuePolicy } = this.#config
    const ownPolicy = priorityLevels > 0 ? priorityQueuePolicy[String(priority)] : undefined
    const level = new QueueLevel(priority, ownPolicy ?? defaultQueuePolicy)
    this.#levels.splice(index, 0, level)
    return level
  }

  /** Where the level of this priority is, or would be. */
  #indexOf(priority: number): number {
    let low = 0
    let high = this.#levels.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#levels[middle] as QueueLevel).priority < priority) low = middle + 1
      else high = middle
    }
    return low
  }
}

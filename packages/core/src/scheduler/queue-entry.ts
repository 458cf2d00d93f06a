import type { InferenceRequest } from '../request/inference-request.ts'
import type { Linked, LinkedList } from '../util/linked-list.ts'
import type { BatchCandidate } from './batch-policy.ts'
import type { Deadline } from './deadline-heap.ts'

/** A request in a `RequestQueue`. */
export class QueueEntry implements BatchCandidate, Linked<QueueEntry> {
  readonly request: InferenceRequest
  readonly batchKey: string
  /** Where the queue policy sets a timeout. */
  deadline: Deadline<QueueEntry> | undefined
  list: LinkedList<QueueEntry> | undefined
  previous: QueueEntry | undefined
  next: QueueEntry | undefined

  constructor(request: InferenceRequest, batchKey: string) {
    this.request = request
    this.batchKey = batchKey
  }

  /** Items that the request adds to a batch. */
  get size(): number {
    return Math.max(1, this.request.batchSize)
  }

  get enqueuedAt(): number {
    return this.request.queuedAt
  }
}

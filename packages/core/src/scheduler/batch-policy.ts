import type { ExecutionRequest } from '../backend/backend.ts'
import type { SendRule } from '../instance/send-rule.ts'
import type { BatchRules } from './batch-rules.ts'

/** A waiting request as batches are formed from it. */
export interface BatchCandidate {
  readonly request: ExecutionRequest
  /** Items that it adds to a batch. */
  readonly size: number
  /** The same for all requests of a batch. */
  readonly batchKey: string
  /** When it came, on the clock. */
  readonly enqueuedAt: number
}

/** Waiting requests in the order in which they are served. */
export interface BatchQueue<Candidate extends BatchCandidate> {
  first(): Candidate | undefined
  after(candidate: Candidate): Candidate | undefined
}

/** The rules of a dynamic batch. */
export type DynamicRule = Exclude<SendRule, 'slot utilization' | 'warm-up'>

/** What to do now that an instance is idle: send the first `count` requests, or look again at a time, or when one comes. */
export type BatchDecision =
  | { readonly action: 'send'; readonly count: number; readonly rule: DynamicRule }
  | { readonly action: 'wait'; readonly until: number }
  | { readonly action: 'idle' }

const idle: BatchDecision = { action: 'idle' }

/**
 * Triton's rules for a dynamic batch. Requests are taken in order as long as they fit. A batch of a preferred size goes
 * at once, the largest such size if there are several; so does one that cannot grow, because the next request does not
 * fit or has another shape. What is left waits for more requests until the first of it has waited long enough.
 */
export function decideBatch<Candidate extends BatchCandidate>(
  queue: BatchQueue<Candidate>,
  rules: BatchRules,
  now: number,
): BatchDecision {
  const { maxBatchSize, preferredSizes, largestPreferred, maxQueueDelay, include } = rules
  const first = queue.first()
  if (first === undefined) return idle
  const batch: ExecutionRequest[] = []
  let count = 0
  let size = 0
  let preferredCount = 0
  let closedBy: DynamicRule | undefined
  let oldest = first.enqueuedAt
  for (let next: Candidate | undefined = first; next !== undefined; next = queue.after(next)) {
    if (count > 0) {
      const grown = size + next.size
      // No preferred size can be reached any more: what was collected before counts as one.
      if (grown > largestPreferred && preferredCount === 0) preferredCount = count
      if (grown > maxBatchSize) closedBy = 'full'
      else if (next.batchKey !== first.batchKey) closedBy = 'shape change'
      else if (include !== undefined && !include(batch, next.request)) closedBy = 'custom batching'
      if (closedBy !== undefined || (maxQueueDelay === 0 && preferredCount > 0 && grown > largestPreferred)) break
    }
    count++
    size += next.size
    oldest = Math.min(oldest, next.enqueuedAt)
    if (include !== undefined) batch.push(next.request)
    if (preferredSizes.has(size)) preferredCount = count
  }
  const delayEnd = oldest + maxQueueDelay
  const isDelayOver = now >= delayEnd
  if (preferredCount > 0 && (!isDelayOver || maxQueueDelay === 0)) {
    const isFull = preferredCount === count && (size === maxBatchSize || closedBy === 'full')
    return { action: 'send', count: preferredCount, rule: isFull ? 'full' : 'preferred size' }
  }
  if (closedBy !== undefined) return { action: 'send', count, rule: closedBy }
  if (size >= largestPreferred) return { action: 'send', count, rule: size >= maxBatchSize ? 'full' : 'preferred size' }
  if (isDelayOver) return { action: 'send', count, rule: maxQueueDelay === 0 ? 'instance free' : 'delay over' }
  return { action: 'wait', until: delayEnd }
}

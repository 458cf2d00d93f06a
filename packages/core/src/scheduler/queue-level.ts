import type { QueuePolicy } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { requestPrefix } from '../request/validate-request.ts'
import { LinkedList } from '../util/linked-list.ts'
import type { QueueEntry } from './queue-entry.ts'

const noPolicy: QueuePolicy = {
  timeoutAction: 'REJECT',
  defaultTimeoutMicroseconds: 0,
  allowTimeoutOverride: false,
  maxQueueSize: 0,
}

/** The requests of one priority and the policy that holds for them. */
export class QueueLevel {
  readonly priority: number
  readonly waiting = new LinkedList<QueueEntry>()
  /** Those whose time ran out under the policy DELAY; they come after all of `waiting`. */
  readonly delayed = new LinkedList<QueueEntry>()
  readonly #policy: QueuePolicy

  constructor(priority: number, policy: QueuePolicy = noPolicy) {
    this.priority = priority
    this.#policy = policy
  }

  get length(): number {
    return this.waiting.length + this.delayed.length
  }

  get first(): QueueEntry | undefined {
    return this.waiting.first ?? this.delayed.first
  }

  get delaysExpired(): boolean {
    return this.#policy.timeoutAction === 'DELAY'
  }

  /** How long a request may wait, in milliseconds; 0 is without end. A request can only shorten what the policy says. */
  timeoutOf({ timeoutMicroseconds }: InferenceRequest): number {
    const { defaultTimeoutMicroseconds, allowTimeoutOverride } = this.#policy
    const isShorter = timeoutMicroseconds > 0 && timeoutMicroseconds < defaultTimeoutMicroseconds
    return (allowTimeoutOverride && isShorter ? timeoutMicroseconds : defaultTimeoutMicroseconds) / 1000
  }

  /** @throws TritonError UNAVAILABLE when no further request may wait here. */
  expectRoom(request: InferenceRequest): void {
    const { maxQueueSize } = this.#policy
    if (maxQueueSize === 0 || this.length < maxQueueSize) return
    throw new TritonError('UNAVAILABLE', `${requestPrefix(request.id)}Exceeds maximum queue size`)
  }
}

import type { ModelConfig } from '../config/model-config.ts'
import type { Logger } from '../util/logger.ts'
import type { DynamicRule } from './batch-policy.ts'

/** Batches after which a verdict is possible. */
const watchedBatches = 256

/** Why a batch had only one request: there was no other, another instance was free for the other, or what sent it. */
type Cause = 'alone' | 'many instances' | DynamicRule

/**
 * Looks whether dynamic batching does anything. When none of the first batches has more than one request it says once
 * which setting to look at; with the first larger batch it is content.
 */
export class BatchWatch {
  readonly #config: ModelConfig
  readonly #logger: Logger
  readonly #causes = new Map<Cause, number>()
  #watched = 0
  #running = 0
  /** Since the last batch a request came while another ran. */
  #hasMet = false

  constructor(config: ModelConfig, logger: Logger) {
    this.#config = config
    this.#logger = logger
  }

  /** A request comes. */
  noteQueued(): void {
    if (this.#running > 0) this.#hasMet = true
  }

  /**
   * A batch goes to an instance.
   * @param waiting requests left in the queue.
   * @returns false when there is nothing more to watch.
   */
  noteSent(requests: number, rule: DynamicRule, waiting: number): boolean {
    if (requests > 1) return false
    const cause = this.#causeOf(rule, waiting)
    this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + 1)
    this.#running++
    this.#watched++
    if (this.#watched < watchedBatches) return true
    this.#warn()
    return false
  }

  /** An instance is through with its batch. */
  noteDone(): void {
    this.#running--
  }

  #causeOf(rule: DynamicRule, waiting: number): Cause {
    const isAlone = waiting === 0 && this.#running === 0 && !this.#hasMet
    this.#hasMet = false
    if (isAlone) return 'alone'
    return rule === 'instance free' && this.#running > 0 ? 'many instances' : rule
  }

  #warn(): void {
    const [[cause]] = [...this.#causes].sort(([, a], [, b]) => b - a) as [[Cause, number]]
    const { name, dynamicBatching } = this.#config
    const delays = (dynamicBatching?.maxQueueDelayMicroseconds ?? 0) > 0
    const text = cause === 'alone' && delays ? advice['alone with delay'] : advice[cause]
    this.#logger.warn(
      { model: name },
      `model '${name}' has dynamic_batching, but each of its first ${watchedBatches} batches had a single request: ${text}`,
    )
  }
}

const alone =
  'requests come one at a time. Let callers send without waiting for each other, or do without dynamic_batching'

const advice: Record<Cause | 'alone with delay', string> = {
  alone,
  'alone with delay': `${alone}: max_queue_delay_microseconds makes each of them wait in vain`,
  'many instances':
    'an idle instance takes each request at once. Lower the count of instance_group, or set max_queue_delay_microseconds',
  'instance free':
    'only one request waits whenever the instance becomes free. Set max_queue_delay_microseconds so that more can come',
  'delay over': 'no other request comes in time. Raise max_queue_delay_microseconds',
  'shape change':
    'the next request has other shapes or other optional inputs. Pad inputs to a common shape, or set allow_ragged_batch if the model can take it',
  'custom batching': 'includeRequest of the backend keeps the next request out. Look at its rule',
  full: 'two requests are more than a batch may be. Raise max_batch_size, or send smaller requests',
  'preferred size': 'one request alone reaches a preferred size. Raise preferred_batch_size, or leave it out',
}

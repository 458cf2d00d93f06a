import type { Clock } from '@triton-ts/core'
import type { CodeServer, MetricStore, ModelContext } from '@triton-ts/core/backend'
import type { CodePlace } from '../../import-code.ts'

/** What the workers of a model version have in common. */
export interface WorkerOwner {
  readonly place: CodePlace
  readonly context: ModelContext
  readonly server: CodeServer
  readonly metrics: MetricStore
  readonly clock: Clock
  /** Milliseconds that a batch may take; 0: any. */
  readonly timeout: number
  readonly maxHeap: number | undefined
}

import type { Clock } from '@triton-ts/core'
import type { BackendSource } from '../messages/model-spec.ts'

/** How the processes of a model are started. */
export interface ProcessOptions {
  readonly source: BackendSource
  /** The file that they run. */
  readonly entry: URL
  readonly clock: Clock
}

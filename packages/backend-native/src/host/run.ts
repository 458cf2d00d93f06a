import type { ExecutionMarks } from '@triton-ts/core/backend'
import type { NameTable } from './name-table.ts'
import type { RequestSlot } from './request-slot.ts'

/** What the requests of one execution have in common. */
export interface Run {
  /** Number of the instance, and its name. */
  readonly instanceId: number
  readonly instance: string
  readonly names: NameTable
  readonly isDecoupled: boolean
  readonly marks: ExecutionMarks
  /** In the order of the requests; one that is through may be in use for another run. */
  readonly slots: RequestSlot[]
}

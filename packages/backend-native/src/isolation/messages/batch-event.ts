import type { ParameterValue } from '@triton-ts/core'
import type { ComputeDurations, ReportedResponse } from '@triton-ts/core/backend'
import type { ErrorMessage } from './error-message.ts'
import type { TensorMessage } from './tensor-message.ts'

/** What becomes of a batch in the child. `request` is the place of the request in its batch. */
export type BatchEvent =
  | { readonly kind: 'computeStart' | 'computeEnd' }
  | {
      readonly kind: 'respond'
      readonly request: number
      readonly outputs: readonly TensorMessage[]
      readonly parameters: Readonly<Record<string, ParameterValue>> | undefined
      readonly final: boolean
    }
  | { readonly kind: 'fail'; readonly request: number; readonly error: ErrorMessage; readonly final: boolean }
  | { readonly kind: 'end' | 'keep' | 'reschedule'; readonly request: number }
  | { readonly kind: 'updateState'; readonly request: number; readonly state: TensorMessage }
  /** For its trace. `time` in nanoseconds. */
  | { readonly kind: 'activity'; readonly request: number; readonly activity: string; readonly time: bigint }
  | {
      readonly kind: 'reportRequest'
      readonly request: number
      readonly durations: ComputeDurations
      readonly success: boolean
    }
  | { readonly kind: 'reportBatch'; readonly batchSize: number; readonly durations: ComputeDurations }
  | { readonly kind: 'reportResponse'; readonly request: number; readonly response: ReportedResponse }
  /** `execute` returned, or threw `error`. */
  | { readonly kind: 'executed'; readonly error: ErrorMessage | undefined }
  /** Every request is answered and nothing more is reported: the last event. */
  | { readonly kind: 'released' }

import type { TritonError } from '../errors.ts'
import type { ParameterValue } from '../request/infer-request.ts'
import type { Tensor } from '../request/tensor.ts'
import type { Explanation } from './explanation.ts'

/** Output tensors by name. */
export type Outputs = Readonly<Record<string, Tensor>>

/** One answer of a model. */
export interface InferenceResponse {
  readonly modelName: string
  /** The version that answered. */
  readonly modelVersion: number
  /** The request's id, `''` without one. */
  readonly id: string
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** Empty where it failed. */
  readonly outputs: Outputs
  /** Why this response of a decoupled model failed, while others may follow; what ends the request is thrown instead. */
  readonly error?: TritonError | undefined
  /** Where the request asked for it with `explain`. */
  readonly explanation?: Explanation | undefined
}

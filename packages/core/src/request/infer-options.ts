import type { InferRequest } from './infer-request.ts'

/** What `infer` and `inferStream` take beside the inputs. */
export interface InferOptions extends Omit<InferRequest, 'inputs' | 'rawInput'> {
  /** Which version is to answer. Default: the highest that is ready. */
  readonly version?: number | undefined
}

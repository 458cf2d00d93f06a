import type { Explanation } from '../response/explanation.ts'
import type { InferRequest } from './infer-request.ts'

/** What `infer` and `inferStream` take beside the inputs. */
export interface InferOptions extends Omit<InferRequest, 'inputs' | 'rawInput' | 'explain' | 'trace'> {
  /** Which version is to answer. Default: what the model's traffic split says, else the highest that is ready. */
  readonly version?: number | undefined
  /** Hears, before the answer is there, why the request ran when it did; with `inferStream` for every response. */
  readonly onExplain?: ((explanation: Explanation) => void) | undefined
}

import type { BatchMember } from '../instance/batch-member.ts'
import type { ModelSignature } from './model-signature.ts'

/** Where requests run: the instances of a model version. */
export interface RequestPlace {
  readonly signature: ModelSignature
  /** What each instance that takes requests runs now; undefined for an idle one. */
  readonly runs: readonly (readonly BatchMember[] | undefined)[]
}

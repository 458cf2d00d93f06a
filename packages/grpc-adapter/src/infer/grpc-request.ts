import { RequestMessage } from '@triton-ts/protocol'

const none: readonly string[] = []

/** An inference request as it came over gRPC: what the engine is asked, and in which form to answer. */
export class GrpcRequest extends RequestMessage {
  /** Whether a decoupled model's end without a response is told on a stream. */
  wantsEmptyFinal = false
  /** How many best classes replace an output, by its name. */
  classes: Map<string, number> | undefined

  /** Names of the outputs that are to be replaced by their best classes. */
  get classified(): readonly string[] {
    return this.classes === undefined ? none : [...this.classes.keys()]
  }
}

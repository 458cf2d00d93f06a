import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceRequest } from '../request/inference-request.ts'

/** Decides which requests of a model version run together and when. */
export interface Scheduler {
  /**
   * Takes a request, which then runs or fails through its own methods.
   * @throws TritonError when the request is not taken.
   */
  enqueue(request: InferenceRequest): void
  /** Takes a request out again; false when an instance has it already. */
  withdraw(request: InferenceRequest): boolean
  /** Ends every request that still waits. */
  rejectWaiting(reject: (request: InferenceRequest) => void): void
  /** Uses one more instance. */
  addInstance(instance: ModelInstance): void
  /** Stops using an instance; resolves when it does not run and never will again. */
  removeInstance(instance: ModelInstance): Promise<void>
  /** Refuses new sequences from now on. A scheduler without it has no sequences: its owner refuses every request. */
  stopAccepting?(): void
  /** Resolves when no sequence is live. */
  drained?(): Promise<void>
  /** No more requests come for the sequences that are live. */
  endSequences?(): void
  /** Whether any sequence is live. */
  readonly hasSequences?: boolean
  /** Whether a sequence of that id is live. */
  hasSequence?(id: bigint | string): boolean
  /** Takes a request of an iterative sequence back, to run it again. */
  reschedule?(request: InferenceRequest): void
  /** The engine and the backend are done with a request, whether it was enqueued or not. */
  released?(request: InferenceRequest): void
}

/** The trace that a request belongs to, for backends that add to it. */
export interface RequestTrace {
  readonly id: bigint
  /** 0: none. */
  readonly parentId: bigint
  /** Whether points in time are wanted. */
  readonly timestamps: boolean
  /** Whether tensors are wanted. */
  readonly tensors: boolean
  /** What the caller sent along to be handed on, W3C trace context as JSON for instance; `''` without. */
  readonly context: string
  /** Notes that something happened. */
  report(activity: string, timestampNanoseconds: bigint): void
}

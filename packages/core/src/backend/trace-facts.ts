import type { RequestTrace } from './request-trace.ts'

/** What a trace says of itself; it can be copied to another thread or process. */
export type TraceFacts = Omit<RequestTrace, 'report'>

export const traceFacts = ({ id, parentId, timestamps, tensors, context }: RequestTrace): TraceFacts => ({
  id,
  parentId,
  timestamps,
  tensors,
  context,
})

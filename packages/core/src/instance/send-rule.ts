/**
 * Why a batch was sent when it was: it was full; its size was a preferred one; its queue delay was over; an instance was
 * free and nothing had to be waited for; the next request had other shapes or inputs; the backend's `includeRequest`
 * closed it; enough slots of a direct sequence batcher had a request; or it warms an instance up.
 */
export type SendRule =
  | 'full'
  | 'preferred size'
  | 'delay over'
  | 'instance free'
  | 'shape change'
  | 'custom batching'
  | 'slot utilization'
  | 'warm-up'

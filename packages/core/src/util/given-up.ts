import { TritonError } from '../errors.ts'

/** What a load ends with that its caller gave up. */
export const givenUp = (signal: AbortSignal): TritonError =>
  new TritonError('CANCELLED', 'the load was given up', { cause: signal.reason })

import { TritonError } from '../errors.ts'

/** What a request hears that comes when its model takes none any more. @param prefix names the request. */
export const stoppingError = (prefix = ''): TritonError =>
  new TritonError(
    'UNAVAILABLE',
    `${prefix}Server is stopping, scheduler for model has stopped accepting new inference requests`,
  )

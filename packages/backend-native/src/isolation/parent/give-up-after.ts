import type { Clock, Logger } from '@triton-ts/core'
import { settlesWithin } from './settles-within.ts'

const milliseconds = 10_000

/**
 * Waits for work of a process that is no longer needed, but not for ever.
 * @param what is said when it is given up.
 * @returns whether it was. Rejects as the work does.
 */
export async function giveUpAfter(
  work: Promise<void>,
  what: string,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<boolean> {
  if (await settlesWithin(work, milliseconds, clock)) {
    await work
    return false
  }
  logger.warn({}, `${what} after ${milliseconds / 1000} s: its process is ended`)
  return true
}

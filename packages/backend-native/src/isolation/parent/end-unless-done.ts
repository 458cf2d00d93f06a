import type { Clock, Logger } from '@triton-ts/core'
import { settlesWithin } from '@triton-ts/core/backend'
import type { ModelProcess } from './model-process.ts'

const milliseconds = 10_000

/**
 * Waits for the last work of a process, or for work that nobody wants any more, but not for ever: then the process is
 * ended. Rejects as the work does.
 * @param complaint what is logged then.
 */
export async function endUnlessDone(
  process: ModelProcess,
  work: Promise<unknown>,
  complaint: string,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  if (await settlesWithin(work, milliseconds, clock)) {
    await work
    return
  }
  logger.warn({}, `${complaint} after ${milliseconds / 1000} s: its process is ended`)
  await process.stop()
}

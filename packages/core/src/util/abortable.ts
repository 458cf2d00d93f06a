import { endsBefore } from './ends-before.ts'

/** Like `work`, but rejects as soon as the signal is aborted, with its reason. `late` gets what comes after that. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal, late?: (value: T) => void): Promise<T> {
  if (await endsBefore(work, signal)) return work
  // Nobody is there any more to hear of a failure.
  if (late !== undefined) work.then(late, () => {})
  throw signal.reason
}

import { UsageError } from '../flags/usage-error.ts'

/**
 * Reads `--gpus`: ids with commas between; the flag may be given several times.
 * @throws UsageError
 */
export function gpuIds(lists: readonly string[]): number[] {
  const ids = lists.flatMap((list) => list.split(','))
  for (const id of ids) {
    if (!/^\d{1,4}$/.test(id)) throw new UsageError(`--gpus takes ids of GPUs, 0,1 for instance. Got ${id}`, 'gpus')
  }
  return [...new Set(ids.map(Number))]
}

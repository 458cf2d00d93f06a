import type { StorePlace } from './cloud-path.ts'
import { StoreError } from './object-store.ts'

/**
 * The names of directories that a listing found.
 * @param files how many objects it found beside them.
 * @throws StoreError `missing` for a prefix with nothing below it: as in Triton that is no directory, and mostly a mistake.
 */
export function namesBelow({ prefix }: StorePlace, found: readonly string[], files: number): string[] {
  if (prefix !== '' && found.length + files === 0) throw new StoreError('missing', `there is nothing below '${prefix}'`)
  return found.filter((name) => name !== '')
}

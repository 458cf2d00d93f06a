import { TritonError } from '../../errors.ts'
import { errorCode } from './blob-file.ts'
import type { StoredObject } from './object-store.ts'

/** Whether an error of the file system says that the disk, or the share of the user in it, is full. */
export const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')

/** What an object fails with that does not fit, when the cache has nothing left that could be removed. */
export function noRoom(cache: string, repository: string, { key, size }: StoredObject, cause: unknown): TritonError {
  const text =
    `no space left in the cache directory '${cache}' for '${key}' (${size} bytes) of '${repository}', and models use ` +
    'all that is in it; make room, or name a directory on another disk'
  return new TritonError('UNAVAILABLE', text, { cause })
}

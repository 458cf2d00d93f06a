import { createHash } from 'node:crypto'
import { constants, copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { plainTag } from './model-tree.ts'
import type { StoredObject } from './object-store.ts'

/** Where one content lies in a cache: the content, and beside it its SHA-256 in the form of `sha256sum`. */
export interface BlobFile {
  readonly path: string
  readonly sumPath: string
}

/**
 * Objects with the same MD5 and size share a blob, whatever their names and repositories. Where the service does not tell
 * the MD5, the blob is of the object with that name and tag in that repository: tags of some services are times, and two
 * objects may have the same.
 */
export function blobFile(cache: string, repository: string, { key, etag, size, md5 }: StoredObject): BlobFile {
  const identity = md5 === undefined ? [repository, key, plainTag(etag), size] : [md5.toLowerCase(), size]
  const id = createHash('sha256').update(JSON.stringify(identity)).digest('hex')
  const path = join(cache, 'blobs', id.slice(0, 2), id)
  return { path, sumPath: `${path}.sha256` }
}

const isWithoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'])

/** One content under two names; a copy where the file system has no links, or no more of them. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: unknown) => {
    if (!isWithoutLinks.has(errorCode(error) ?? '')) throw error
    return copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  })
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { blobFile, linkOrCopy } from './blob-file.ts'

const memory = '/dev/shm'

/** A directory in memory, when that is another file system than that of temporary files. */
async function elsewhere(directory: string): Promise<string | undefined> {
  const other = await stat(memory).catch(() => undefined)
  if (other === undefined || other.dev === (await stat(directory)).dev) return undefined
  return mkdtemp(join(memory, 'triton-ts-'))
}

test('a link where there can be one, else a copy', async ({ skip }) => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'blob')
  await writeFile(path, 'content')
  await linkOrCopy(path, join(directory, 'link'))
  expect((await stat(path)).nlink).toBe(2)
  const other = await elsewhere(directory)
  if (other === undefined) return skip('there is no second file system')
  try {
    await linkOrCopy(path, join(other, 'copy'))
    expect(await readFile(join(other, 'copy'), 'utf8')).toBe('content')
    await expect(linkOrCopy(path, join(other, 'copy'))).rejects.toThrow('EEXIST')
    expect((await stat(path)).nlink).toBe(2)
  } finally {
    await rm(other, { recursive: true })
  }
})

test('a content is known by MD5 and size, or by repository, name, tag and size', () => {
  const object = { key: 'm/a', size: 1, etag: '"t"' }
  const path = (changes: object, repository = 's3://b') => blobFile('/c', repository, { ...object, ...changes }).path
  const others = [{ key: 'm/b' }, { etag: 'u' }, { size: 2 }, { md5: 'aa' }]
  expect(new Set([path({}), path({}, 's3://x'), ...others.map((other) => path(other))]).size).toBe(6)
  expect(path({ etag: 't' })).toBe(path({}))
  expect(path({ md5: 'AA', key: 'm/b', etag: 'u' }, 's3://x')).toBe(path({ md5: 'aa' }))
  expect(path({ md5: 'aa', size: 2 })).not.toBe(path({ md5: 'aa' }))
})

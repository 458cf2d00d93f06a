import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { fileMapping } from './file-mapping.ts'

const mapping = fileMapping()

test.skipIf(mapping === undefined)('a mapped file is seen as it is, written to, and let go of', async () => {
  await using files = await modelRepository({ file: 'hello, memory' })
  const descriptor = openSync(join(files.path, 'file'), 'r+')
  const mapped = mapping?.map(descriptor, 5) as ArrayBuffer
  const bytes = Buffer.from(mapped)
  expect(bytes.toString()).toBe('hello')
  writeSync(descriptor, 'J', 0)
  expect(bytes.toString()).toBe('Jello')
  bytes.set(Buffer.from('C'))
  const read = Buffer.alloc(13)
  readSync(descriptor, read, 0, 13, 0)
  expect(read.toString()).toBe('Cello, memory')
  closeSync(descriptor)
  expect(bytes.toString()).toBe('Cello')
  mapping?.unmap(mapped)
  expect(mapped.byteLength).toBe(0)
  expect(bytes).toHaveLength(0)
  mapping?.unmap(mapped)
})

test.skipIf(mapping === undefined)('what cannot be mapped says why', () => {
  expect(() => mapping?.map(-1, 4096)).toThrow('mmap: Bad file descriptor')
})

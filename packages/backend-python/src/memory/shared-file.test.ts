import { fileMapping } from '@triton-ts/backend-native'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { SharedFile } from './shared-file.ts'

test('what is closed is not touched any more: its number may be that of another file', async () => {
  await using files = await modelRepository()
  const file = SharedFile.open(files.path)
  expect(file?.extend(0, 64)).toBe(true)
  file?.close()
  // It gets the number that has become free.
  const other = SharedFile.open(files.path)
  expect(other?.descriptor).toBe(file?.descriptor)
  other?.extend(0, 64)
  for (const touch of ['write', 'read'] as const) {
    expect(() => file?.[touch](new Uint8Array(8).fill(7), 0)).toThrow('the memory is shared with is gone')
  }
  expect(() => file?.extend(0, 64)).toThrow('the memory is shared with is gone')
  const bytes = new Uint8Array(8)
  other?.read(bytes, 0)
  expect([...bytes]).toEqual(new Array(8).fill(0))
  other?.close()
})

test('a long copy ends before the file is closed', async () => {
  await using files = await modelRepository()
  const file = SharedFile.open(files.path)
  const bytes = new Uint8Array(3 << 20).fill(5)
  const writing = file?.write(bytes, 0)
  file?.close()
  await expect(writing).resolves.toBeUndefined()
})

test.for([
  ['by calls of the system', undefined],
  ['as memory, where there are native parts', fileMapping()],
] as const)('what one writes the other reads, also when it grows: %s', async ([, mapping]) => {
  await using files = await modelRepository()
  const file = SharedFile.open(files.path, mapping)
  for (const size of [64, 4096, 1 << 20]) {
    expect(file?.extend(0, size)).toBe(true)
    const bytes = Uint8Array.from({ length: 64 }, (_, i) => i ^ (size & 0xff))
    file?.write(bytes, size - 64)
    const read = new Uint8Array(64)
    file?.read(read, size - 64)
    expect(read).toEqual(bytes)
  }
  expect(() => file?.read(new Uint8Array(8), 1 << 20)).toThrow('the shared memory ends before')
  file?.close()
})

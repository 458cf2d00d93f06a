import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { withFileLock } from './file-lock.ts'

const signal = AbortSignal.timeout(20_000)

test('one holds it at a time, and it goes with the work, also with one that throws', async () => {
  await using files = await modelRepository()
  const lock = join(files.path, 'lock')
  let holders = 0
  const most: number[] = []
  const work = async (): Promise<void> => {
    most.push(++holders)
    await new Promise((resolve) => setImmediate(resolve))
    holders--
  }
  await Promise.all([1, 2, 3].map(() => withFileLock(lock, signal, work)))
  expect(most).toEqual([1, 1, 1])
  await expect(withFileLock(lock, signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await readdir(files.path)).toEqual([])
})

test('that of a process that is gone does not count, also when this one has its id', async () => {
  await using files = await modelRepository()
  const lock = join(files.path, 'lock')
  await writeFile(lock, '999999999')
  expect(await withFileLock(lock, signal, async () => 'gone')).toBe('gone')
  await writeFile(lock, String(process.pid))
  await utimes(lock, 1, 1)
  expect(await withFileLock(lock, signal, async () => 'restarted')).toBe('restarted')
})

test('who waits may give up', async () => {
  await using files = await modelRepository()
  const lock = join(files.path, 'lock')
  const abort = new AbortController()
  const held = withFileLock(lock, signal, async () => {
    const waiting = withFileLock(lock, abort.signal, async () => 'never')
    abort.abort()
    return waiting.catch(({ name }: Error) => name)
  })
  expect(await held).toBe('AbortError')
})

import { expect, test } from 'vitest'
import { FeedBuffer } from './feed-buffer.ts'

const feed = (...parts: Uint8Array[]) => ({ name: 'A', datatype: 'UINT8' as const, shape: [1], parts })

test('parts lie behind each other, feeds at aligned offsets', () => {
  const { buffer, layout } = new FeedBuffer().fill([
    feed(Uint8Array.of(1, 2), Uint8Array.of(3)),
    feed(),
    feed(Uint8Array.of(9)),
  ])
  expect(layout.map(({ offset, byteLength }) => [offset, byteLength])).toEqual([
    [0, 3],
    [8, 0],
    [8, 1],
  ])
  expect([...new Uint8Array(buffer, 0, 3)]).toEqual([1, 2, 3])
  expect(new Uint8Array(buffer)[8]).toBe(9)
})

test('a buffer that came back is used again, unless it is too small or much too large', () => {
  const pool = new FeedBuffer()
  const { buffer } = pool.fill([feed(new Uint8Array(64))])
  pool.giveBack(buffer)
  expect(pool.fill([feed(new Uint8Array(32))]).buffer).toBe(buffer)
  expect(pool.fill([feed(new Uint8Array(32))]).buffer).not.toBe(buffer)
  pool.giveBack(buffer)
  expect(pool.fill([feed(new Uint8Array(65))]).buffer).not.toBe(buffer)
  pool.giveBack(buffer)
  expect(pool.fill([feed(new Uint8Array(8))]).buffer).not.toBe(buffer)
})

import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decompressedLimit } from '../kserve/size-limits.ts'
import { inflate } from './inflate.ts'

const limit = decompressedLimit(1 << 20)

test('gzip and deflate are told apart by their bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (bytes) => {
      expect(Buffer.from(await inflate(gzipSync(bytes), limit))).toEqual(Buffer.from(bytes))
      expect(Buffer.from(await inflate(deflateSync(bytes), limit))).toEqual(Buffer.from(bytes))
    }),
    { numRuns: 100 },
  )
})

test('a gzip header with every optional field', async () => {
  const plain = gzipSync('hello')
  const header = Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3])
  const fields = Buffer.concat([Buffer.from([2, 0, 7, 7]), Buffer.from('name\0comment\0'), Buffer.from([1, 2])])
  expect(String(await inflate(Buffer.concat([header, fields, plain.subarray(10)]), limit))).toBe('hello')
})

test('the first of several gzip members is all there is', async () => {
  expect(String(await inflate(Buffer.concat([gzipSync('one'), gzipSync('two')]), limit))).toBe('one')
})

test('of damaged data what comes before the damage', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => i).join()
  const packed = gzipSync(text)
  const half = String(await inflate(packed.subarray(0, packed.length >> 1), limit))
  expect(half.length).toBeGreaterThan(0)
  expect(text.startsWith(half)).toBe(true)
  expect((await inflate(Buffer.from('no compression'), limit)).byteLength).toBe(0)
})

test('an empty body', async () => {
  await expect(inflate(Buffer.alloc(0), limit)).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message: 'nothing to be decompressed',
  })
})

test('a bomb is stopped at the limit', async () => {
  const bomb = gzipSync(Buffer.alloc(64 << 20))
  await expect(inflate(bomb, limit)).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message:
      'Decompressed data size exceeds the maximum allowed value of 1048576 bytes. Use --http-max-input-size to increase the limit.',
  })
})

import { readdir, readlink, truncate } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientMemory, outcome, sharedMemory } from '../fixtures/shared-memory-rig.ts'
import { silentLogger } from '../util/logger.ts'
import type { RegionSlice } from './region-slice.ts'
import { SharedMemory } from './shared-memory.ts'

/** How many descriptors of this process are the file. */
async function descriptors(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target === path).length
}

describe.skipIf(process.platform !== 'linux')('slices of regions', () => {
  test('bounds of what a request names', async () => {
    const { key } = await clientMemory(new Uint8Array(128))
    const regions = sharedMemory()
    regions.registerSystem({ name: 'r', key, byteSize: 128 })
    const use = (offset: number | bigint, byteSize: number | bigint, name = 'r'): string =>
      outcome(() => regions.use(name, offset, byteSize).release())
    const offset = "INVALID_ARG: Invalid offset for shared memory region: 'r'"
    const size = "INVALID_ARG: Invalid offset + byte size for shared memory region: 'r'"
    expect(use(0, 1, 'nope')).toBe("NOT_FOUND: Unable to find shared memory region: 'nope'")
    for (const outside of [128, -1, 0.5, Number.NaN, 2n ** 64n - 1n]) expect(use(outside, 1)).toBe(offset)
    for (const large of [65, -1, 2n ** 63n]) expect(use(64, large)).toBe(size)
    expect(use(32, 2n ** 64n - 32n)).toBe(
      "INVALID_ARG: Integer overflow detected: byte_size (18446744073709551584) + offset (32) exceeds maximum value (18446744073709551615) for region 'r'",
    )
    expect(use(64n, 64n)).toBe('accepted')
    expect(use(127, 0)).toBe('accepted')
  })

  test('large copies do not hold up the event loop', async () => {
    const content = Uint8Array.from({ length: 1 << 20 }, (_, i) => i % 251)
    const { key, bytes } = await clientMemory(content)
    const regions = sharedMemory()
    regions.registerSystem({ name: 'r', key, byteSize: content.byteLength })
    const slice = regions.use('r', 0, content.byteLength)
    const into = new Uint8Array(content.byteLength)
    const reading = slice.read(into)
    expect(reading).toBeInstanceOf(Promise)
    // The region stays until the copy is done, though its request is over.
    slice.release()
    regions.unregister('system')
    expect(regions.systemStatus()).toHaveLength(1)
    await reading
    expect(regions.systemStatus()).toEqual([])
    expect(Buffer.from(into).equals(content)).toBe(true)
    expect((await bytes()).equals(content)).toBe(true)
  })

  test('memory that its owner made smaller is an error, small or large', async () => {
    const { key, path } = await clientMemory(new Uint8Array(1 << 20))
    const regions = sharedMemory()
    regions.registerSystem({ name: 'r', key, byteSize: 1 << 20 })
    await truncate(path, 10)
    const text = `shared memory region 'r' ends early: '${key}' was made smaller`
    for (const size of [64, 1 << 20]) {
      const slice = regions.use('r', 0, size)
      await expect((async () => slice.read(new Uint8Array(size)))()).rejects.toMatchObject({
        code: 'INVALID_ARG',
        message: text,
      })
      slice.release()
    }
  })

  test('after the last of its requests a region that is unregistered goes, whatever happens before', async () => {
    const { key, path } = await clientMemory(new Uint8Array(16))
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('register', 'unregister', 'use'), name: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('release'), at: fc.nat(5) }),
      fc.constant({ do: 'unregister all' }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const regions = new SharedMemory(undefined, silentLogger)
        const slices: RegionSlice[] = []
        for (const at of steps) {
          try {
            if (at.do === 'unregister all') regions.unregister('system')
            else if ('at' in at) slices.splice(at.at, 1)[0]?.release()
            else if (!('name' in at)) continue
            else if (at.do === 'register') regions.registerSystem({ name: at.name, key, byteSize: 16 })
            else if (at.do === 'unregister') regions.unregister('system', at.name)
            else slices.push(regions.use(at.name, 0, 16))
          } catch (error) {
            expect(['ALREADY_EXISTS', 'NOT_FOUND']).toContain((error as { code: string }).code)
          }
          for (const slice of slices) expect(slice.read(new Uint8Array(16))).toBeUndefined()
        }
        expect(await descriptors(path)).toBeGreaterThanOrEqual(regions.systemStatus().length)
        regions.dispose()
        for (const slice of slices) slice.release()
        expect(regions.systemStatus()).toEqual([])
        await expect.poll(() => descriptors(path)).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})

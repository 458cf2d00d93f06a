import { truncate } from 'node:fs/promises'
import { Server, type SharedMemory, Tensor } from '@triton-ts/core'
import { type SharedMemoryFile, sharedMemoryFile } from '@triton-ts/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RequestRegions } from './request-regions.ts'

describe.skipIf(process.platform !== 'linux')('the regions of a request', () => {
  const size = 600_000
  let server: Server
  let memory: SharedMemory
  let file: SharedMemoryFile
  beforeAll(async () => {
    server = await Server.start()
    memory = server.sharedMemory
    file = await sharedMemoryFile(new Uint8Array(size))
  })
  afterAll(async () => {
    await server.stop()
    await file[Symbol.asyncDispose]()
  })

  const at = (offset: number | bigint, byteSize: number | bigint, region = 'r') => ({ region, offset, byteSize })
  const tensor = (bytes: Uint8Array): Tensor => Tensor.fromBytes('UINT8', [bytes.byteLength], bytes)
  const register = (): void => memory.registerSystem({ name: 'r', key: file.key, byteSize: size })
  /** Nothing uses the region any more, so it goes at once. */
  const expectUnused = (): void => {
    memory.unregister('system')
    expect(memory.systemStatus()).toEqual([])
  }

  test('any parts, small and large, go in and out unchanged', async () => {
    const part = fc.record({ offset: fc.nat(size / 2 - 1), length: fc.oneof(fc.nat(300), fc.nat(size / 2 - 1)) })
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), part, fc.nat(255), async (inputs, output, seed) => {
        const content = Buffer.alloc(size, Uint8Array.of(seed, 1, 2, 3, 4, 5, 6))
        await file.write(content)
        register()
        const regions = new RequestRegions(memory)
        const read = inputs.map(({ offset, length }) => regions.input(at(BigInt(offset), length)))
        regions.addOutput('OUT', at(output.offset, output.length))
        await regions.read()
        inputs.forEach(({ offset, length }, i) => {
          expect(Buffer.from(read[i] ?? []).equals(content.subarray(offset, offset + length))).toBe(true)
        })
        const stored = Buffer.alloc(output.length, Uint8Array.of(9, 8, seed))
        await regions.write({ OUT: tensor(stored), OTHER: tensor(Uint8Array.of(1)) })
        regions.release()
        expectUnused()
        content.set(stored, output.offset)
        expect((await file.bytes()).equals(content)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  test('what is too large for its output is not stored, nor is anything else', async () => {
    await file.write(new Uint8Array(size))
    register()
    const regions = new RequestRegions(memory)
    regions.addOutput('A', at(0, 4))
    regions.addOutput('B', at(8, 4))
    // The first reference counts.
    regions.addOutput('B', at(0, 100))
    expect(() => regions.write({ A: tensor(Uint8Array.of(1)), B: tensor(new Uint8Array(5)) })).toThrow(
      "shared memory size specified with the request for output 'B' (4 bytes) should be at least 5 bytes to hold the results",
    )
    expect((await file.bytes()).every((byte) => byte === 0)).toBe(true)
    expect([regions.hasOutput('A'), regions.hasOutput('C')]).toEqual([true, false])
    regions.release()
    expectUnused()
  })

  test('a reference that no region has leaves nothing in use', () => {
    register()
    const regions = new RequestRegions(memory)
    regions.input(at(0, 10))
    expect(() => regions.input(at(size, 1))).toThrow("Invalid offset for shared memory region: 'r'")
    expect(() => regions.addOutput('A', at(0, 1, 'no'))).toThrow("Unable to find shared memory region: 'no'")
    expect(() => regions.addOutput('A', at(-1, 1))).toThrow('Invalid offset')
    regions.release()
    regions.release()
    expectUnused()
  })

  test('one whose request is over touches no memory', async () => {
    register()
    const regions = new RequestRegions(memory)
    regions.input(at(0, 10))
    regions.release()
    await expect((async () => regions.read())()).rejects.toMatchObject({ code: 'CANCELLED' })
    expectUnused()
  })

  test('the inputs of a request have a limit', async () => {
    await using huge = await sharedMemoryFile(new Uint8Array(0))
    await truncate(huge.path, 2 ** 40)
    memory.registerSystem({ name: 'r', key: huge.key, byteSize: 2 ** 40 })
    const regions = new RequestRegions(memory)
    expect(() => regions.input(at(0, 2 ** 31))).toThrow(
      'inputs in shared memory have 2147483648 bytes, which exceeds the maximum allowed value of 2147483647 bytes',
    )
    regions.release()
    expectUnused()
  })
})

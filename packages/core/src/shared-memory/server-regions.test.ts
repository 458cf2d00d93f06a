import { describe, expect, test } from 'vitest'
import { config, started } from '../fixtures/server-rig.ts'
import { clientMemory, outcome } from '../fixtures/shared-memory-rig.ts'

describe.skipIf(process.platform !== 'linux')('the shared memory of a Server', () => {
  const models = { 'm/config.pbtxt': config(), 'm/1/': '' }

  test('is its own: two of them are apart', async () => {
    const { key } = await clientMemory(new Uint8Array(8))
    const first = await started(models)
    const second = await started(models)
    first.sharedMemory.registerSystem({ name: 'r', key, byteSize: 8 })
    expect(second.sharedMemory.systemStatus()).toEqual([])
    second.sharedMemory.registerSystem({ name: 'r', key, byteSize: 4 })
    await first.stop()
    expect(first.sharedMemory.systemStatus()).toEqual([])
    expect(second.sharedMemory.systemStatus()).toHaveLength(1)
  })

  test('after its stop a request may finish with its region, and nothing new is taken', async () => {
    const { key, bytes } = await clientMemory(new Uint8Array(8))
    const server = await started(models)
    const { sharedMemory } = server
    sharedMemory.registerSystem({ name: 'r', key, byteSize: 8 })
    const slice = sharedMemory.use('r', 0, 8)
    await server.stop()
    expect(outcome(() => sharedMemory.registerSystem({ name: 'x', key, byteSize: 8 }))).toBe(
      'UNAVAILABLE: Server not ready',
    )
    expect(sharedMemory.systemStatus()).toHaveLength(1)
    slice.write(Uint8Array.of(7))
    expect((await bytes())[0]).toBe(7)
    slice.release()
    expect(sharedMemory.systemStatus()).toEqual([])
  })
})

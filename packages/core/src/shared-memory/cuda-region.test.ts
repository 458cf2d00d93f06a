import { describe, expect, test } from 'vitest'
import { cudaHandle, fakeCuda } from '../fixtures/fake-cuda.ts'
import { clientMemory, outcome, sharedMemory } from '../fixtures/shared-memory-rig.ts'
import { silentLogger } from '../util/logger.ts'
import { SharedMemory } from './shared-memory.ts'

describe('CUDA regions', () => {
  test('are copied to and from', async () => {
    const gpu = fakeCuda(Uint8Array.of(1, 2, 3, 4))
    const regions = sharedMemory(gpu)
    await regions.registerCuda({ name: 'g', rawHandle: cudaHandle(0), deviceId: 0n, byteSize: 4n })
    expect(regions.cudaStatus()).toEqual([{ name: 'g', deviceId: 0, byteSize: 4 }])
    const slice = regions.use('g', 1, 2)
    const into = new Uint8Array(2)
    await slice.read(into)
    expect([...into]).toEqual([2, 3])
    await slice.write(Uint8Array.of(7))
    expect(gpu.allocations[0]).toEqual(Uint8Array.of(1, 7, 3, 4))
    regions.unregister('cuda')
    expect(gpu.isOpen).toBe(1)
    slice.release()
    expect(gpu.isOpen).toBe(0)
  })

  test('what cannot be registered', async () => {
    const gpu = fakeCuda(new Uint8Array(4))
    const regions = sharedMemory(gpu)
    const register = async (changed: object): Promise<string> => {
      const options = { name: 'g', rawHandle: cudaHandle(0), deviceId: 0, byteSize: 4, ...changed }
      return regions.registerCuda(options).then(
        () => 'accepted',
        ({ code, message }) => `${code}: ${message}`,
      )
    }
    const invalid = "INVALID_ARG: failed to register shared memory region 'g': invalid args"
    expect(await register({ name: '' })).toBe(
      "INVALID_ARG: 'region name' is necessary to register cuda shared memory region",
    )
    expect(await register({ rawHandle: new Uint8Array(63) })).toBe(
      "INVALID_ARG: 'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t",
    )
    for (const bad of [
      { rawHandle: cudaHandle(1) },
      { deviceId: 1 },
      { byteSize: 5 },
      { byteSize: 0 },
      { deviceId: -1 },
    ]) {
      expect(await register(bad)).toBe(invalid)
    }
    expect(gpu.isOpen).toBe(0)
    expect(await Promise.all([register({}), register({})])).toEqual([
      'accepted',
      "ALREADY_EXISTS: shared memory region 'g' already in manager",
    ])
    const none = new SharedMemory(undefined, silentLogger)
    await expect(
      none.registerCuda({ name: 'g', rawHandle: cudaHandle(0), deviceId: 0, byteSize: 4 }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: "failed to register CUDA shared memory region: 'g', GPUs not supported",
    })
  })

  test('one that opens while the Server stops is closed again', async () => {
    const gpu = fakeCuda(new Uint8Array(4))
    const regions = sharedMemory(gpu)
    const registering = regions.registerCuda({ name: 'g', rawHandle: cudaHandle(0), deviceId: 0, byteSize: 4 })
    await Promise.resolve()
    regions.dispose()
    await expect(registering).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'Server not ready' })
    expect(gpu.isOpen).toBe(0)
  })

  test.skipIf(process.platform !== 'linux')('share their names with system regions', async () => {
    const { key } = await clientMemory(new Uint8Array(4))
    const regions = sharedMemory(fakeCuda(new Uint8Array(4)))
    regions.registerSystem({ name: 's', key, byteSize: 4 })
    await regions.registerCuda({ name: 'g', rawHandle: cudaHandle(0), deviceId: 0, byteSize: 4 })
    expect(outcome(() => regions.registerSystem({ name: 'g', key, byteSize: 4 }))).toMatch(/^ALREADY_EXISTS/)
    expect(outcome(() => regions.systemStatus('g'))).toBe(
      "NOT_FOUND: The region named 'g' is registered as CUDA shared memory, not system shared memory",
    )
    expect(outcome(() => regions.cudaStatus('s'))).toBe(
      "NOT_FOUND: The region named 's' is registered as system shared memory, not CUDA shared memory",
    )
    expect(outcome(() => regions.cudaStatus('x'))).toBe("NOT_FOUND: Unable to find cuda shared memory region: 'x'")
    expect(regions.systemStatus().map(({ name }) => name)).toEqual(['s'])
    regions.unregister('cuda', 's')
    regions.unregister('system', 'g')
    regions.unregister('system', 'unknown')
    expect([...regions.systemStatus(), ...regions.cudaStatus()]).toHaveLength(2)
  })
})

import { mkdir, rm, symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { cleanUp } from '../fixtures/server-rig.ts'
import { clientMemory, outcome, sharedMemory } from '../fixtures/shared-memory-rig.ts'
import { sharedMemoryFile } from './shared-memory-key.ts'

describe.skipIf(process.platform !== 'linux')('system regions', () => {
  test('are read and written at their offset', async () => {
    const { key, bytes } = await clientMemory(Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7]))
    const regions = sharedMemory()
    regions.registerSystem({ name: 'r', key, offset: 2n, byteSize: 4 })
    expect(regions.systemStatus('r')).toEqual([{ name: 'r', key, offset: 2, byteSize: 4 }])
    const slice = regions.use('r', 1, 3)
    const into = new Uint8Array(3)
    expect(slice.read(into)).toBeUndefined()
    expect([...into]).toEqual([3, 4, 5])
    slice.write(Uint8Array.of(9, 8))
    expect([...(await bytes())]).toEqual([0, 1, 2, 9, 8, 5, 6, 7])
    slice.release()
  })

  test('what cannot be registered, with the texts of Triton', async () => {
    const { key, path } = await clientMemory(new Uint8Array(128))
    const regions = sharedMemory()
    const register = (changed: object): string =>
      outcome(() => regions.registerSystem({ name: 'r', key, byteSize: 64, ...changed }))
    const folder = await clientMemory(new Uint8Array(0))
    await rm(folder.path)
    await mkdir(folder.path)
    cleanUp(() => rm(folder.path, { recursive: true }))
    const link = await clientMemory(new Uint8Array(0))
    await rm(link.path)
    await symlink(path, link.path)
    const unopened = (name: string): string => `INTERNAL: Unable to open shared memory region: '${name}'`
    const invalid = "INVALID_ARG: failed to register shared memory region 'r': invalid args"
    const badKey = (name: string): string =>
      `INVALID_ARG: cannot register shared memory region 'r' - invalid shm key '${name}'`
    expect(register({ name: '' })).toBe(
      "INVALID_ARG: 'region name' is necessary to register system shared memory region",
    )
    expect(register({ name: 'n'.repeat(1025) })).toMatch(
      /^INVALID_ARG: .* not be longer than 1024 characters, got 1025$/,
    )
    for (const bad of ['', '/', '///', 'a\0b']) expect(register({ key: bad })).toBe(badKey(bad))
    for (const none of [
      '/nobody-has-this',
      '/../etc/passwd',
      'a/b',
      '/.',
      '..',
      'x'.repeat(300),
      folder.key,
      link.key,
    ]) {
      expect(register({ key: none })).toBe(unopened(none))
    }
    for (const reserved of ['triton_python_backend_shm_region_x', '///triton_python_backend_shm_region_']) {
      expect(register({ key: reserved })).toBe(
        `INVALID_ARG: cannot register shared memory region 'r' with key '${reserved}' as the key contains the reserved prefix 'triton_python_backend_shm_region_'`,
      )
    }
    for (const bounds of [
      { byteSize: 129 },
      { byteSize: 0 },
      { byteSize: -1 },
      { byteSize: 1.5 },
      { byteSize: Number.NaN },
      { byteSize: 64, offset: 65 },
      { byteSize: 2n ** 64n - 64n, offset: 64n },
      { byteSize: 1, offset: 2n ** 64n - 1n },
      { offset: -1 },
      { offset: -64n },
    ]) {
      expect(register(bounds)).toBe(invalid)
    }
    expect(register({ byteSize: 128n })).toBe('accepted')
    expect(register({})).toBe("ALREADY_EXISTS: shared memory region 'r' already in manager")
    expect(register({ name: 'without-slash', key: key.slice(1) })).toBe('accepted')
  })

  test('there is a limit on how many there are', async () => {
    const { key } = await clientMemory(new Uint8Array(1))
    const regions = sharedMemory()
    for (let i = 0; i < 1024; i++) regions.registerSystem({ name: `r${i}`, key, byteSize: 1 })
    expect(outcome(() => regions.registerSystem({ name: 'more', key, byteSize: 1 }))).toBe(
      "UNAVAILABLE: failed to register shared memory region 'more': there are 1024 already, unregister others first",
    )
    regions.unregister('system', 'r7')
    expect(outcome(() => regions.registerSystem({ name: 'more', key, byteSize: 1 }))).toBe('accepted')
  })
})

test('elsewhere than on Linux there are none', () => {
  expect(outcome(() => sharedMemoryFile('/k', 'r', 'darwin'))).toBe(
    'UNSUPPORTED: system shared memory needs Linux, where it is files in /dev/shm',
  )
})

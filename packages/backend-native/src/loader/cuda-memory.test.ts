import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { cudaMemory } from './cuda-memory.ts'
import { nativeDirectory } from './native-directory.ts'

const found = nativeDirectory()

/** A CUDA driver for machines without one; see native/test/cuda. */
const testDriver = 'reasons' in found ? '' : join(found.directory, 'test-cuda')
const built = (path: string): string => new URL(path, import.meta.url).href

if (!existsSync(testDriver)) console.log('skipped: the CUDA driver for tests is not built')

/** What a script prints that has the test driver's GPU. */
async function withTestDriver(body: string, environment: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const script = `
    import { Server } from '${built('../../../core/dist/index.js')}'
    import { cudaMemory } from '${built('../../dist/index.js')}'
    const cuda = cudaMemory()
    const handle = new Uint8Array(64).fill(42, 0, 1)
    const attempt = (work) => work.then(() => 'done', (error) => error.message)
    ${body}`
  await using files = await modelRepository()
  const file = join(files.path, 'script.mjs')
  await writeFile(file, script)
  const env = { ...process.env, LD_LIBRARY_PATH: testDriver, ...environment }
  return execFileSync(process.execPath, [file], { env, encoding: 'utf8' }).trim().split('\n')
}

const driverTest = test.skipIf(!existsSync(testDriver))

driverTest('memory of a GPU is opened, read, written, and closed once', async () => {
  const lines = await withTestDriver(`
    console.log(await cuda.isAvailable())
    const memory = await cuda.open(handle, 0)
    console.log(memory.byteSize)
    await memory.write(100, Uint8Array.of(1, 2, 3))
    const other = await cuda.open(handle, 0)
    const bytes = new Uint8Array(5)
    await other.read(99, bytes)
    console.log(String(bytes))
    await Promise.all(Array.from({ length: 50 }, (_, i) => memory.write(i * 20, new Uint8Array(20).fill(i))))
    const all = new Uint8Array(1000)
    await other.read(0, all)
    console.log(all.every((byte, i) => byte === Math.floor(i / 20)))
    await memory.close()
    console.log(await attempt(other.read(0, bytes)))
    await other.close()
    console.log(await attempt(other.close()))`)
  expect(lines).toEqual([
    'true',
    '1024',
    '0,1,2,3,0',
    'true',
    'done',
    'failed to close shared memory of GPU 0: invalid resource handle',
  ])
})

driverTest('what the driver refuses is an error', async () => {
  const lines = await withTestDriver(`
    console.log(await attempt(cuda.open(new Uint8Array(64), 0)))
    console.log(await attempt(cuda.open(handle, 1)))
    console.log(await attempt(cuda.open(handle, -1)))
    console.log(await attempt(cuda.open(new Uint8Array(63), 0)))
    const memory = await cuda.open(handle, 0)
    for (const [offset, size] of [[1024, 1], [0, 1025], [-1, 1], [1e300, 1]]) {
      console.log(await attempt((async () => memory.read(offset, new Uint8Array(size)))()))
    }
    console.log(await attempt(memory.write(1024, new Uint8Array(0))))`)
  const beyond = 'the copy reaches beyond the memory of the GPU'
  expect(lines).toEqual([
    'failed to open shared memory of GPU 0: invalid argument',
    'failed to open shared memory of GPU 1: invalid device ordinal',
    'failed to open shared memory of GPU -1: there is no GPU -1',
    'a CUDA IPC handle has 64 bytes',
    beyond,
    beyond,
    beyond,
    beyond,
    'done',
  ])
})

driverTest('a Server registers it and lets it go', async () => {
  const lines = await withTestDriver(`
    const server = await Server.start({ cudaMemory: cuda })
    const { sharedMemory } = server
    const options = { name: 'g', rawHandle: handle, deviceId: 0, byteSize: 1024 }
    console.log(await attempt(sharedMemory.registerCuda({ ...options, byteSize: 1025 })))
    await sharedMemory.registerCuda(options)
    console.log(JSON.stringify(sharedMemory.cudaStatus()))
    await server.stop()
    console.log(sharedMemory.cudaStatus().length)`)
  expect(lines).toEqual([
    "failed to register shared memory region 'g': invalid args",
    '[{"name":"g","deviceId":0,"byteSize":1024}]',
    '0',
  ])
})

driverTest('a driver without a GPU is as none', async () => {
  expect(await withTestDriver('console.log(await cuda.isAvailable())', { TEST_CUDA_NO_DEVICE: '1' })).toEqual(['false'])
})

test('without the CUDA driver there are no GPUs', async () => {
  const library = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib/wsl/lib']
  const hasDriver = library.some((directory) => existsSync(join(directory, 'libcuda.so.1')))
  if (!hasDriver) expect(await cudaMemory().isAvailable()).toBe(false)
})

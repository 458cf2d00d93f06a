import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { nativeDirectory } from './native-directory.ts'
import { visiblePlaces } from './nvml.ts'

const found = nativeDirectory()

/** A management library for machines without one; see native/test/nvml. */
const testLibrary = 'reasons' in found ? '' : join(found.directory, 'test-nvml')
const built = (path: string): string => new URL(path, import.meta.url).href

if (!existsSync(testLibrary)) console.log('skipped: the GPU management library for tests is not built')

/** What a script prints that has the GPUs of the test library. */
async function withTestLibrary(body: string, environment: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const script = `
    import { Server } from '${built('../../../core/dist/index.js')}'
    import { nvml } from '${built('../../dist/index.js')}'
    const gpus = nvml()
    ${body}`
  await using files = await modelRepository()
  const file = join(files.path, 'script.mjs')
  await writeFile(file, script)
  const env = { ...process.env, LD_LIBRARY_PATH: testLibrary, ...environment }
  return execFileSync(process.execPath, [file], { env, encoding: 'utf8' }).trim().split('\n')
}

const libraryTest = test.skipIf(!existsSync(testLibrary))

libraryTest('GPUs have names, and tell what they know', async () => {
  const [open, first, second] = await withTestLibrary(`
    console.log(JSON.stringify(await gpus.open()))
    for (const reading of await gpus.read()) console.log(JSON.stringify(reading))`)
  expect(JSON.parse(open ?? '')).toEqual([
    { id: 0, uuid: 'GPU-11111111-1111-1111-1111-111111111111', name: 'Test GPU A' },
    { id: 1, uuid: 'GPU-22222222-2222-2222-2222-222222222222', name: 'Test GPU B' },
  ])
  const memory = { memoryTotal: 2 ** 33, memoryUsed: 2 ** 31 }
  expect(JSON.parse(first ?? '')).toEqual({
    ...memory,
    utilization: 0.25,
    powerUsage: 70.5,
    powerLimit: 300,
    energy: 1005,
  })
  expect(JSON.parse(second ?? '')).toEqual({ ...memory, utilization: 0 })
})

libraryTest('the page of a Server has those that are visible, with the energy since its start', async () => {
  const lines = await withTestLibrary(
    `
    const server = await Server.start({ gpuMetrics: gpus, metrics: { interval: 10, ownFamilies: false } })
    const page = () => server.metrics().split('\\n').filter((line) => line.startsWith('nv_'))
    const energy = () => Number(page().find((line) => line.startsWith('nv_energy'))?.split(' ')[1])
    while (!(energy() >= 10)) await new Promise((resolve) => setTimeout(resolve, 5))
    for (const line of page()) console.log(line.startsWith('nv_energy') ? line.split(' ')[0] : line)
    await server.stop()`,
    { CUDA_VISIBLE_DEVICES: '0' },
  )
  const labels = '{gpu_uuid="GPU-11111111-1111-1111-1111-111111111111"}'
  expect(lines).toEqual([
    `nv_gpu_utilization${labels} 0.25`,
    `nv_gpu_memory_total_bytes${labels} 8589934592`,
    `nv_gpu_memory_used_bytes${labels} 2147483648`,
    `nv_gpu_power_usage${labels} 70.5`,
    `nv_gpu_power_limit${labels} 300`,
    `nv_energy_consumption${labels}`,
  ])
})

libraryTest('without a driver it says why', async () => {
  const body = 'console.log(await gpus.open().catch((error) => error.message))'
  expect(await withTestLibrary(body, { TEST_NVML_NO_DRIVER: '1' })).toEqual([
    'the NVIDIA driver cannot be asked: Driver Not Loaded',
  ])
})

test.each([
  [undefined, [0, 1, 2]],
  ['', []],
  ['2,0', [2, 0]],
  [' 1 , 7, 0', [1]],
  ['GPU-b,GPU-c0', [1, 2]],
  ['-1,0', []],
])('CUDA_VISIBLE_DEVICES=%j shows the places %j', (visible, places) => {
  const gpus = [{ uuid: 'GPU-a0' }, { uuid: 'GPU-b0' }, { uuid: 'GPU-c0' }]
  expect(visiblePlaces(gpus, visible)).toEqual(places)
})

import type { Tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { NativeRig, nativeTest } from './fixtures/native-rig.ts'

/** What an execute of the library tells: its thread, and how many executes were going on at once so far. */
interface Seen {
  readonly thread: string
  readonly instance: string
  readonly most_at_once: number
}

const seen = (tensor: Tensor | undefined): Seen => JSON.parse(tensor?.strings()[0] ?? '') as Seen

const config = (group: string): string => `backend: "device_blocking"
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: TYPE_STRING dims: 1 }
  instance_group { count: 2 ${group} }`

async function threadsOf(group: string, policy: string): Promise<{ instances: number; threads: number; most: number }> {
  await using rig = await NativeRig.start(
    { m: config(group) },
    { gpus: [0], backendConfig: { device_blocking: { policy } } },
  )
  const answers = await Promise.all(Array.from({ length: 6 }, () => rig.server.infer('m', { INPUT: Int32Array.of(1) })))
  const all = answers.map(({ OUTPUT }) => seen(OUTPUT))
  return {
    instances: new Set(all.map(({ instance }) => instance)).size,
    threads: new Set(all.map(({ thread }) => thread)).size,
    most: Math.max(...all.map(({ most_at_once }) => most_at_once)),
  }
}

nativeTest('the instances on one GPU share a thread where the library wants that', async () => {
  expect(await threadsOf('kind: KIND_GPU gpus: 0', 'device-blocking')).toEqual({ instances: 2, threads: 1, most: 1 })
})

nativeTest('on the CPU each instance has its own thread all the same', async () => {
  expect(await threadsOf('kind: KIND_CPU', 'device-blocking')).toMatchObject({ instances: 2, threads: 2 })
})

nativeTest('without that policy each instance on a GPU has its own thread', async () => {
  expect(await threadsOf('kind: KIND_GPU gpus: 0', 'blocking')).toMatchObject({ instances: 2, threads: 2 })
})

nativeTest('a library needs no entry point but the one that executes', async () => {
  await using rig = await NativeRig.start({
    m: 'backend: "execute_only" input { name: "INPUT" data_type: TYPE_INT32 dims: 1 } output { name: "OUTPUT" data_type: TYPE_INT32 dims: 1 }',
  })
  const { OUTPUT } = await rig.server.infer('m', { INPUT: Int32Array.of(5) })
  expect([...((OUTPUT?.data ?? []) as Int32Array)]).toEqual([1])
})

import { Worker } from 'node:worker_threads'
import { modelRepository } from '@triton-ts/testing'
import { expect } from 'vitest'
import { liveObjects, liveObjectsLeft } from './fixtures/live-objects.ts'
import { backendDirectory, configText, nativeTest, parameterText } from './fixtures/native-rig.ts'

const instances = 'instance_group { count: 2 kind: KIND_CPU }'

const models = {
  'identity/config.pbtxt': configText('identity', instances),
  'bls/config.pbtxt': configText('bls', `${parameterText('target', 'identity')} ${instances}`),
  'stream/config.pbtxt': `backend: "repeat" model_transaction_policy { decoupled: true }
    input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "OUT" data_type: TYPE_INT32 dims: 1 }`,
  'identity/1/': '',
  'bls/1/': '',
  'stream/1/': '',
}

type Ending = 'terminate' | 'exit' | 'throw'

/** Runs a worker until it ends, from some moment on by `ending`. @returns its exit code. */
function runWorker(modelRepository: string, ending: Ending, milliseconds: number): Promise<number> {
  const worker = new Worker(new URL('./fixtures/busy-worker.mjs', import.meta.url), {
    workerData: { modelRepository, directory: backendDirectory, ending, milliseconds },
  })
  worker.on('message', () => {
    if (ending === 'terminate') setTimeout(() => worker.terminate(), milliseconds)
  })
  return new Promise((resolve, reject) => {
    worker.on('error', (error: Error) => {
      if (error.message !== 'thrown by the worker') reject(error)
    })
    worker.on('exit', resolve)
  })
}

nativeTest.for([
  ['terminate', 1],
  ['exit', 0],
  ['throw', 1],
] as const)('worker threads with busy Servers end: %s', async ([ending, code]) => {
  const before = liveObjects()
  {
    await using files = await modelRepository(models)
    const run = (milliseconds: number) => runWorker(files.path, ending, milliseconds)
    for (let round = 0; round < 8; round++) {
      // Two at a time, and each round at other moments of their work.
      expect(await Promise.all([run(round), run(round * 2.5)])).toEqual([code, code])
    }
  }
  expect(await liveObjectsLeft(before)).toEqual(before)
})

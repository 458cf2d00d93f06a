import { Server } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { echoModel } from './fixtures/dashboard-rig.ts'
import { LiveData } from './live-data.ts'
import type { LiveModel, LiveSnapshot } from './live-snapshot.ts'

const served = async (files: Record<string, string>) => {
  const repository = await modelRepository(files)
  const server = await Server.start({ modelRepository: repository.path, backends: [echoBackend()] })
  return {
    server,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await repository[Symbol.asyncDispose]()
    },
  }
}

test('a snapshot serves for half a second', async () => {
  await using rig = await served({ 'echo/config.pbtxt': echoModel('FP32', '[-1]'), 'echo/1/': '' })
  let now = 1000
  const live = new LiveData(rig.server, () => now)
  const successes = async (): Promise<number | undefined> =>
    (JSON.parse(await live.json()) as LiveSnapshot).models[0]?.successes
  expect(await successes()).toBe(0)
  await rig.server.infer('echo', { INPUT0: new Float32Array(1) })
  now += 499
  expect(await successes()).toBe(0)
  now += 1
  expect(await successes()).toBe(1)
})

test('of thousands of models it is made while other work goes on', async () => {
  const files = Array.from({ length: 120 }, (_, i) => [
    [`m${i}/config.pbtxt`, echoModel('FP32', '[1]')],
    [`m${i}/1/`, ''],
  ])
  await using rig = await served(Object.fromEntries(files.flat()))
  const order: string[] = []
  const made = new LiveData(rig.server, () => 0).json().then((text) => {
    order.push('snapshot')
    return text
  })
  setImmediate(() => order.push('other'))
  const snapshot = JSON.parse(await made) as LiveSnapshot
  expect(snapshot.models).toHaveLength(120)
  expect(snapshot.state).toBe('ready')
  expect(order).toEqual(['other', 'snapshot'])
})

test('it tells of each version what it counted, its histograms and where the time went', async () => {
  const config = echoModel('FP32', '[1]', 'max_batch_size: 4 instance_group { count: 2 kind: KIND_CPU }')
  await using rig = await served({ 'echo/config.pbtxt': config, 'echo/1/': '' })
  await rig.server.infer('echo', { INPUT0: [[1], [2], [3]] })
  const [model] = (JSON.parse(await new LiveData(rig.server, () => 0).json()) as LiveSnapshot).models
  const { latency, batchSize, stages, ...counts } = model as LiveModel
  expect(counts).toMatchObject({ name: 'echo', namespace: '', version: 1, isDecoupled: false, isEnsemble: false })
  expect(counts).toMatchObject({ instances: 2, busy: 0, successes: 1, failures: 0, items: 3, executions: 1 })
  expect(latency.counts).toHaveLength(latency.bounds.length + 1)
  expect(latency.counts.reduce((sum, count) => sum + count)).toBe(1)
  expect(batchSize.bounds[batchSize.counts.indexOf(1)]).toBeGreaterThanOrEqual(3)
  expect(stages.queue + stages.input + stages.compute + stages.output).toBeGreaterThan(0)
})

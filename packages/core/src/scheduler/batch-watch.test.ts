import { expect, test } from 'vitest'
import { BatchRig, type RigOptions, type SendOptions } from './fixtures/batch-rig.ts'

interface Watched {
  readonly batching?: string
  readonly maxBatchSize?: number
  readonly options?: Omit<RigOptions, 'logger'>
}

function watched({ batching = '', maxBatchSize = 4, options = {} }: Watched = {}): {
  rig: BatchRig
  warnings: string[]
} {
  const warnings: string[] = []
  const silence = (): void => {}
  const logger = {
    debug: silence,
    info: silence,
    warn: (_: object, text: string) => warnings.push(text),
    error: silence,
  }
  const rig = new BatchRig(`max_batch_size: ${maxBatchSize} dynamic_batching { ${batching} }`, { ...options, logger })
  return { rig, warnings }
}

/** Keeps `depth` requests in flight, and lets the oldest batch end each time, until so many have run. */
async function drive(rig: BatchRig, batches: number, depth: number, request: (n: number) => SendOptions = () => ({})) {
  let sent = 0
  const top = (): void => {
    while (rig.version.inflight < depth) {
      rig.send(`${sent}`, request(sent))
      sent++
    }
  }
  for (let i = 0; i < batches; i++) {
    top()
    if (rig.running.size === 0) await rig.clock.advance(1)
    await rig.finish()
  }
}

const start = "model 'm' has dynamic_batching, but each of its first 256 batches had a single request: "

test('requests that come one at a time', async () => {
  const { rig, warnings } = watched()
  await drive(rig, 255, 1)
  expect(warnings).toEqual([])
  await drive(rig, 300, 1)
  expect(warnings).toEqual([
    `${start}requests come one at a time. Let callers send without waiting for each other, or do without dynamic_batching`,
  ])
})

test('a delay that nobody uses', async () => {
  const { rig, warnings } = watched({ batching: 'max_queue_delay_microseconds: 500' })
  await drive(rig, 256, 1)
  expect(warnings).toEqual([expect.stringContaining('max_queue_delay_microseconds makes each of them wait in vain')])
})

test('an instance for every request', async () => {
  const { rig, warnings } = watched({ options: { instances: 3 } })
  await drive(rig, 256, 3)
  expect(warnings).toEqual([expect.stringContaining('Lower the count of instance_group, or set max_queue_delay')])
})

test('one that runs and one that waits', async () => {
  const { rig, warnings } = watched()
  await drive(rig, 256, 2)
  expect(warnings).toEqual([expect.stringContaining('only one request waits whenever the instance becomes free')])
})

test('a delay that is too short', async () => {
  const { rig, warnings } = watched({ batching: 'max_queue_delay_microseconds: 500', options: { instances: 2 } })
  for (let i = 0; i < 256; i++) {
    rig.send(`${i}`)
    await rig.clock.advance(0.6)
    if (rig.running.size > 1) await rig.finish()
  }
  expect(warnings).toEqual([expect.stringContaining('Raise max_queue_delay_microseconds')])
})

test('shapes that differ', async () => {
  const inputs = 'input { name: "IN" data_type: TYPE_FP32 dims: -1 }'
  const { rig, warnings } = watched({ options: { inputs } })
  await drive(rig, 256, 8, (n) => ({ width: 1 + (n % 2) }))
  expect(warnings).toEqual([expect.stringContaining('set allow_ragged_batch if the model can take it')])
})

test('custom batching that says no', async () => {
  const { rig, warnings } = watched({ options: { includeRequest: () => false } })
  await drive(rig, 256, 8)
  expect(warnings).toEqual([expect.stringContaining('includeRequest of the backend keeps the next request out')])
})

test('requests as large as a batch', async () => {
  const { rig, warnings } = watched()
  await drive(rig, 256, 8, () => ({ batch: 4 }))
  expect(warnings).toEqual([expect.stringContaining('Raise max_batch_size')])
})

test('a preferred size of one', async () => {
  const { rig, warnings } = watched({ batching: 'preferred_batch_size: 1' })
  await drive(rig, 256, 8)
  expect(warnings).toEqual([expect.stringContaining('one request alone reaches a preferred size')])
})

test('a larger batch is all that is wanted', async () => {
  const { rig, warnings } = watched()
  await drive(rig, 100, 1)
  await drive(rig, 2, 4)
  await drive(rig, 600, 1)
  expect(rig.ids.some((ids) => ids.length > 1)).toBe(true)
  expect(warnings).toEqual([])
})

test('a model that cannot batch is not watched', async () => {
  const { rig, warnings } = watched({ maxBatchSize: 1 })
  await drive(rig, 300, 2)
  expect(warnings).toEqual([])
})

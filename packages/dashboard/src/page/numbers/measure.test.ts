import { expect, test } from 'vitest'
import { idleModel, snapshotAt } from './fixtures.ts'
import { activities, activityOf, together, versionKey } from './measure.ts'

const worked = {
  ...idleModel,
  ...{ pending: 3, inflight: 4, successes: 20, failures: 5, items: 60, executions: 15 },
  stages: { queue: 1, input: 0, compute: 2, output: 0 },
  latency: { bounds: [0.001, 0.01], counts: [20, 0, 0] },
}

test('rates are what came between two snapshots, divided by the time', () => {
  const activity = activityOf(worked, idleModel, 5)
  expect(activity).toMatchObject({ throughput: 5, failures: 1, meanBatch: 4, pending: 3, inflight: 4, p50: 0.0005 })
  expect(activity.stages).toEqual({ queue: 1, input: 0, compute: 2, output: 0 })
})

test('without requests there is no latency and no batch', () => {
  expect(activityOf(worked, worked, 1)).toMatchObject({
    throughput: 0,
    p50: undefined,
    p99: undefined,
    meanBatch: undefined,
  })
})

test('a version that was loaded anew counts from 0', () => {
  const anew = { ...worked, successes: 7, failures: 0, items: 7, executions: 7 }
  expect(activityOf(anew, worked, 1)).toMatchObject({ throughput: 7, failures: 0, meanBatch: 1 })
})

test('each version is compared with itself, and a new one with nothing', () => {
  const other = { ...worked, version: 2 }
  const found = activities(snapshotAt(12, worked, other), snapshotAt(10, idleModel))
  expect(found.get(versionKey(worked))?.throughput).toBe(12.5)
  expect(found.get(versionKey(other))?.throughput).toBe(12.5)
  expect(versionKey({ ...idleModel, namespace: 'a' })).not.toBe(versionKey(idleModel))
})

test('models together are the sums of their rates, with the percentiles of all requests', () => {
  const slow = { ...worked, latency: { bounds: [0.001, 0.01], counts: [0, 20, 0] } }
  const all = together([activityOf(worked, undefined, 5), activityOf(slow, undefined, 5)])
  expect(all).toMatchObject({ throughput: 10, failures: 2, pending: 6, inflight: 8, p50: 0.001 })
  expect(all.p99).toBeGreaterThan(0.009)
})

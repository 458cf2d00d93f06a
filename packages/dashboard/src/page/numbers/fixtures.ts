import type { LiveModel, LiveSnapshot } from '../../live-snapshot.ts'

/** A version that has done nothing yet. */
export const idleModel: LiveModel = {
  ...{ name: 'm', namespace: '', version: 1, isDecoupled: false, isEnsemble: false, loadDuration: 0.1 },
  ...{ pending: 0, inflight: 0, busy: 0, instances: 1, saturation: 0 },
  ...{ successes: 0, failures: 0, items: 0, executions: 0, responses: 0 },
  stages: { queue: 0, input: 0, compute: 0, output: 0 },
  latency: { bounds: [0.001, 0.01], counts: [0, 0, 0] },
  batchSize: { bounds: [1, 2], counts: [0, 0, 0] },
}

/** @param time seconds. */
export const snapshotAt = (time: number, ...models: LiveModel[]): LiveSnapshot => ({
  time: time * 1000,
  state: 'ready',
  models,
})

import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import type { BackendInstance, ExecutionRequest } from '../../backend/backend.ts'
import { TritonError } from '../../errors.ts'
import { ModelInstance } from '../../instance/model-instance.ts'
import type { InferenceStats } from '../../metrics/inference-stats.ts'
import { statisticsSnapshot } from '../../metrics/statistics-snapshot.ts'
import { modelConfig, RequestRig } from '../../request/fixtures/request-rig.ts'
import { tensor } from '../../request/tensor.ts'
import { NullRequest } from './null-request.ts'

const zero = tensor('FP32', [1, 1], new Float32Array(1))

/** Runs a caller's request behind a null request on a backend that does `execute`. */
function run(execute: (requests: readonly ExecutionRequest[]) => void): { rig: RequestRig; stats: InferenceStats } {
  const rig = new RequestRig(modelConfig('max_batch_size: 4 sequence_batching { }'))
  const stats = rig.stats
  const backend: BackendInstance = { execute, async dispose() {} }
  const instance = new ModelInstance({ name: 'm_0' } as never, backend, stats, virtualClock())
  const real = rig.request('real')
  instance.run([new NullRequest(real, new Map([['IN', zero]])), real], 'instance free', () => rig.heard.push('done'))
  return { rig, stats }
}

test('whatever the backend answers is dropped', () => {
  const { rig } = run((requests) => {
    const [filler] = requests
    filler?.updateState('NOTHING', zero)
    filler?.respond({ outputs: { NOTHING: zero } })
    filler?.respond({ outputs: {} }, { final: false })
    filler?.end()
    filler?.fail(new TritonError('INTERNAL', 'no'))
    filler?.keep()
    filler?.reschedule()
    requests[1]?.respond({ outputs: {} })
  })
  expect(rig.heard).toEqual(['real released', 'real ok', 'done'])
})

test('it need not be answered', () => {
  const { rig } = run((requests) => requests[1]?.respond({ outputs: {} }))
  expect(rig.heard).toEqual(['real released', 'real ok', 'done'])
})

test('a backend that throws fails the others', () => {
  const { rig } = run(() => {
    throw new Error('broke')
  })
  expect(rig.heard).toEqual(['real released', 'real broke', 'done'])
})

test('it is no inference and no request, but the batch is counted with it', () => {
  const { stats } = run((requests) => {
    for (const request of requests) request.respond({ outputs: {} })
  })
  const { inferenceCount, executionCount, inferenceStats, batchStats } = statisticsSnapshot(stats, 'm', 1)
  expect({ inferenceCount, executionCount, success: inferenceStats.success.count }).toEqual({
    inferenceCount: 1,
    executionCount: 1,
    success: 1,
  })
  expect(batchStats.map(({ batchSize }) => batchSize)).toEqual([2])
})

test('another one for the same batch has the same inputs', () => {
  const real = new RequestRig(modelConfig('max_batch_size: 4 sequence_batching { }')).request('real')
  const filler = new NullRequest(real, new Map([['IN', zero]]))
  const other = filler.another()
  expect(other).not.toBe(filler)
  expect([other.inputs, other.batchSize]).toEqual([filler.inputs, 1])
})

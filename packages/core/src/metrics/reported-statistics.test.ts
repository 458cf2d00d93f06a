import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import type { BackendInstance, ExecutionRequest } from '../backend/backend.ts'
import type { ComputeDurations } from '../backend/execution-marks.ts'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { answer, config, input, started } from '../fixtures/server-rig.ts'
import { type Server, TritonError } from '../index.ts'

const durations: ComputeDurations = { computeInput: 1, computeInfer: 2, computeOutput: 3 }

/** A Server whose model `m` measures itself. */
async function reporting(
  execute: (requests: readonly ExecutionRequest[], marks: Parameters<BackendInstance['execute']>[1]) => void,
  more = '',
  instance: Partial<BackendInstance> = { reportsStatistics: true },
) {
  const clock = virtualClock()
  const backend = inlineBackend('identity', () => ({ execute, instance }))
  const server = await started({ 'm/config.pbtxt': config(more), 'm/1/': '' }, { backends: [backend], clock })
  return { server, clock }
}

const statistics = (server: Server) => {
  const [snapshot] = server.statistics('m')
  if (snapshot === undefined) throw new Error('no statistics of m')
  return snapshot
}

const broken = new TritonError('INTERNAL', 'broken')

describe('a request', () => {
  test.each(['before', 'after'])('counts as its backend says, %s its answer', async (when) => {
    const { server, clock } = await reporting(([request], marks) => {
      clock.advance(10)
      if (request === undefined) return
      if (when === 'before') marks.reportRequest(request, durations, true)
      request.respond(answer)
      if (when === 'after') marks.reportRequest(request, durations, true)
      marks.reportRequest(request, durations, true)
      marks.reportBatch(1, { computeInput: 4, computeInfer: 5, computeOutput: 6 })
    })
    await server.infer('m', input())
    expect(statistics(server)).toMatchObject({
      inferenceCount: 1,
      executionCount: 1,
      inferenceStats: {
        success: { count: 1, ns: 10e6 },
        queue: { count: 1, ns: 0 },
        computeInput: { count: 1, ns: 1e6 },
        computeInfer: { count: 1, ns: 2e6 },
        computeOutput: { count: 1, ns: 3e6 },
      },
      batchStats: [{ batchSize: 1, computeInput: { ns: 4e6 }, computeInfer: { ns: 5e6 }, computeOutput: { ns: 6e6 } }],
    })
  })

  test('that is answered and not reported is not counted', async () => {
    const { server } = await reporting(([request]) => request?.respond(answer))
    await server.infer('m', input())
    const { inferenceStats, batchStats, inferenceCount } = statistics(server)
    expect([inferenceStats.success.count, inferenceStats.fail.count, inferenceCount]).toEqual([0, 0, 0])
    expect(batchStats).toEqual([])
  })

  test('that fails is counted once, when its backend reports it', async () => {
    const { server } = await reporting(([request], marks) => {
      request?.fail(broken)
      if (request !== undefined) marks.reportRequest(request, durations, false)
      marks.reportBatch(1, durations)
    })
    await expect(server.infer('m', input())).rejects.toThrow('broken')
    const { inferenceStats, executionCount } = statistics(server)
    expect([inferenceStats.success.count, inferenceStats.fail.count, executionCount]).toEqual([0, 1, 1])
    expect(server.metrics()).toContain('nv_inference_request_failure{model="m",reason="BACKEND",version="1"} 1')
  })

  test('that `execute` leaves behind or throws for is a failure, reported or not', async () => {
    const { server } = await reporting(([request], marks) => {
      if (request?.id === 'reported') marks.reportRequest(request, durations, false)
      if (request?.id !== 'silent') throw broken
    })
    for (const id of ['thrown', 'reported', 'silent']) {
      await expect(server.infer('m', input(), { id })).rejects.toThrow(TritonError)
    }
    expect(statistics(server).inferenceStats.fail.count).toBe(3)
  })

  test('whose caller gave up stays a cancelled one', async () => {
    const caller = new AbortController()
    const { server } = await reporting(([request], marks) => {
      caller.abort()
      request?.respond(answer)
      if (request !== undefined) marks.reportRequest(request, durations, true)
    })
    await expect(server.infer('m', input(), { signal: caller.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    const { inferenceStats } = statistics(server)
    expect([inferenceStats.success.count, inferenceStats.fail.count]).toEqual([0, 1])
    expect(server.metrics()).toContain('nv_inference_request_failure{model="m",reason="CANCELED",version="1"} 1')
  })

  test('that was kept may be reported long after', async () => {
    let finish = (): void => {}
    const { server, clock } = await reporting(([request], marks) => {
      request?.keep()
      finish = () => {
        request?.respond(answer)
        if (request !== undefined) marks.reportRequest(request, durations, true)
      }
    })
    const answered = server.infer('m', input())
    clock.advance(7)
    finish()
    await answered
    expect(statistics(server).inferenceStats.success).toEqual({ count: 1, ns: 7e6 })
  })
})

test('each run of a request of an iterative sequence is counted', async () => {
  let runs = 0
  const { server } = await reporting(([request], marks) => {
    if (request === undefined) return
    marks.reportRequest(request, durations, true)
    if (++runs < 3) request.reschedule()
    else request.respond(answer)
  }, 'sequence_batching { iterative_sequence: true } instance_group { kind: KIND_CPU count: 1 }')
  await server.infer('m', input(), { correlationId: 1, sequenceStart: true, sequenceEnd: true })
  expect(statistics(server).inferenceStats.success.count).toBe(3)
})

test('warm-up is reported as anything else', async () => {
  const { server } = await reporting(
    ([request], marks) => {
      request?.respond(answer)
      if (request !== undefined) marks.reportRequest(request, durations, true)
    },
    `instance_group { kind: KIND_CPU count: 1 }
     model_warmup { name: "w" batch_size: 1 count: 2 inputs { key: "IN" value { data_type: TYPE_FP32 dims: 2 zero_data: true } } }`,
  )
  expect(statistics(server).inferenceStats.success).toMatchObject({ count: 2 })
})

test('reports of an instance that the engine measures change nothing', async () => {
  const { server } = await reporting(
    ([request], marks) => {
      if (request === undefined) return
      marks.reportRequest(request, durations, false)
      marks.reportBatch(1, durations)
      marks.reportResponse(request, { outcome: 'success', computeInfer: 1 })
      request.respond(answer)
    },
    '',
    {},
  )
  await server.infer('m', input())
  const { inferenceStats, executionCount, responseStats } = statistics(server)
  expect([inferenceStats.success.count, inferenceStats.fail.count, executionCount]).toEqual([1, 0, 1])
  expect(responseStats).toEqual({})
})

describe('responses of a decoupled model', () => {
  const decoupled = 'model_transaction_policy { decoupled: true }'

  const drain = async (server: Server): Promise<number> => {
    let count = 0
    for await (const _ of server.inferStream('m', input())) count++
    return count
  }

  test('are not counted unless they are reported', async () => {
    const { server } = await reporting(([request]) => {
      request?.respond(answer, { final: false })
      request?.respond(answer)
    }, decoupled)
    expect(await drain(server)).toBe(2)
    expect(statistics(server).responseStats).toEqual({})
  })

  test('are counted as they are reported, in the order of their request', async () => {
    const { server } = await reporting(([request], marks) => {
      if (request === undefined) return
      request.respond(answer, { final: false })
      marks.reportResponse(request, { outcome: 'success', computeInfer: 1, computeOutput: 2 })
      marks.reportResponse(request, { outcome: 'fail', computeInfer: 3, computeOutput: 4 })
      marks.reportResponse(request, { outcome: 'fail', computeInfer: 5 })
      marks.reportResponse(request, { outcome: 'cancel', computeInfer: 6 })
      request.end()
      marks.reportResponse(request, { outcome: 'empty', computeInfer: 7 })
    }, decoupled)
    expect(await drain(server)).toBe(1)
    const { responseStats } = statistics(server)
    expect(responseStats).toMatchObject({
      0: { success: { count: 1, ns: 3e6 }, computeInfer: { ns: 1e6 }, computeOutput: { ns: 2e6 } },
      1: { fail: { count: 1, ns: 7e6 }, computeInfer: { ns: 3e6 }, computeOutput: { count: 1, ns: 4e6 } },
      2: { fail: { count: 1, ns: 5e6 }, computeInfer: { ns: 5e6 }, computeOutput: { count: 0 } },
      3: { cancel: { count: 1, ns: 6e6 }, computeInfer: { count: 0 } },
      4: { emptyResponse: { count: 1, ns: 7e6 }, computeInfer: { ns: 7e6 } },
    })
    await drain(server)
    expect(statistics(server).responseStats['0']?.success.count).toBe(2)
  })
})

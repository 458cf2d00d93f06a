import { type ManualBackend, manualBackend } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { answer, config, input, manual } from '../fixtures/server-rig.ts'
import { defineModel, localCache, tensor } from '../index.ts'
import { activitiesOf, readTraces, tracing } from './fixtures/trace-rig.ts'

const one = { 'm/config.pbtxt': config(), 'm/1/': '' }

const run = [
  ...['REQUEST_START', 'QUEUE_START', 'COMPUTE_START', 'COMPUTE_INPUT_END', 'COMPUTE_OUTPUT_START', 'COMPUTE_END'],
  ...['INFER_RESPONSE_COMPLETE', 'REQUEST_END'],
]

/** Answers the batch that runs. */
async function finish(backend: ManualBackend): Promise<void> {
  const { requests, finish } = await backend.next()
  for (const request of requests) request.respond(answer)
  finish()
}

test('a request tells when it came, waited, computed, answered and ended', async () => {
  const backend = manualBackend()
  const { server, file, clock } = await tracing({ 'm/config.pbtxt': manual(), 'm/3/': '' }, {}, { backends: [backend] })
  const first = server.infer('m', input())
  const second = server.infer('m', input(), { id: 'second' })
  await clock.advance(2)
  await finish(backend)
  await first
  await clock.advance(0.5)
  await finish(backend)
  await second
  await server.stop()
  const traces = await readTraces(file)
  expect(activitiesOf(traces, 2)).toEqual(run)
  expect(traces.filter(({ model_name }) => model_name !== undefined)).toEqual([
    { id: 1, model_name: 'm', model_version: 3 },
    { id: 2, model_name: 'm', model_version: 3, request_id: 'second' },
  ])
  const times = traces.filter(({ id, timestamps }) => id === 2 && timestamps).map(({ timestamps }) => timestamps?.[0])
  expect(times.map((time) => time?.ns)).toEqual([
    ...[1_000_000_000, 1_000_000_000, 1_002_000_000, 1_002_000_000],
    ...[1_002_500_000, 1_002_500_000, 1_002_500_000, 1_002_500_000],
  ])
})

test('an answer out of the cache has computed nothing', async () => {
  const cached = { 'm/config.pbtxt': config('response_cache { enable: true }'), 'm/1/': '' }
  const { server, file } = await tracing(cached, {}, { cache: localCache({ size: 1_000_000 }) })
  await server.infer('m', input())
  await server.infer('m', input())
  await server.stop()
  expect(activitiesOf(await readTraces(file), 2)).toEqual([
    ...['REQUEST_START', 'QUEUE_START', 'INFER_RESPONSE_COMPLETE', 'REQUEST_END'],
  ])
})

test('a request that fails tells as much as there was', async () => {
  const failing = inlineBackend('identity', () => ({
    execute() {
      throw new Error('out of paint')
    },
  }))
  const { server, file } = await tracing(one, {}, { backends: [failing] })
  await expect(server.infer('m', input())).rejects.toThrow('out of paint')
  await expect(server.infer('m', {})).rejects.toThrow('expected 1 inputs but got 0')
  await server.stop()
  const traces = await readTraces(file)
  expect(activitiesOf(traces, 1)).toEqual(run.filter((name) => name !== 'INFER_RESPONSE_COMPLETE'))
  // The engine did not take it.
  expect(activitiesOf(traces, 2)).toEqual([])
})

test('a cancelled request ends when its backend is through with it', async () => {
  const backend = manualBackend()
  const { server, file, clock } = await tracing({ 'm/config.pbtxt': manual(), 'm/1/': '' }, {}, { backends: [backend] })
  const controller = new AbortController()
  const cancelled = server.infer('m', input(), { signal: controller.signal })
  controller.abort()
  await expect(cancelled).rejects.toThrow('cancelled')
  await clock.advance(5)
  await finish(backend)
  await server.stop()
  const traces = await readTraces(file)
  expect(activitiesOf(traces, 1)).toEqual(['REQUEST_START', 'QUEUE_START', 'REQUEST_END'])
  expect(traces.at(-1)?.timestamps?.[0]?.ns).toBe(1_005_000_000)
})

test('what a backend measures itself counts, also when it tells of it after the answer', async () => {
  const measuring = inlineBackend('identity', () => ({
    execute([request], marks) {
      const durations = { computeInput: 1, computeInfer: 2, computeOutput: 3 }
      if (request === undefined) return
      request.respond(answer)
      marks.reportRequest(request, durations, true)
    },
    instance: { reportsStatistics: true },
  }))
  const { server, file } = await tracing(one, {}, { backends: [measuring] })
  await server.infer('m', input())
  await server.stop()
  const traces = await readTraces(file)
  const late = ['COMPUTE_START', 'COMPUTE_INPUT_END', 'COMPUTE_OUTPUT_START', 'COMPUTE_END', 'REQUEST_END']
  expect(activitiesOf(traces, 1)).toEqual(['REQUEST_START', 'QUEUE_START', 'INFER_RESPONSE_COMPLETE', ...late])
  const times = traces.map(({ timestamps }) => timestamps?.[0]).filter((time) => time?.name.startsWith('COMPUTE'))
  expect(times.map((time) => (time?.ns ?? 0) - 1_000_000_000)).toEqual([0, 1_000_000, 3_000_000, 6_000_000])
})

test('a backend adds what it likes', async () => {
  const adding = inlineBackend('identity', () => ({
    execute([request]) {
      request?.trace?.report('TOKENIZE_START', 42n)
      request?.respond(answer)
    },
  }))
  const { server, file } = await tracing(one, {}, { backends: [adding] })
  await server.infer('m', input())
  await server.stop()
  const found = (await readTraces(file)).find(({ timestamps }) => timestamps?.[0]?.name === 'TOKENIZE_START')
  expect(found).toEqual({ id: 1, timestamps: [{ name: 'TOKENIZE_START', ns: 42 }] })
})

test('the endpoint adds when the request came and went, and the trace waits for it', async () => {
  const { server, file, clock } = await tracing(one)
  const trace = server.startTrace('m')
  trace?.mark('HTTP_RECV_START')
  await clock.advance(1)
  const inputs = [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array(2)) }]
  await server.model('m').request({ inputs, trace: trace ?? null })
  await clock.advance(1)
  trace?.mark('HTTP_SEND_END')
  trace?.release()
  // A request that is not to be traced, as was decided, takes no turn.
  await server.model('m').request({ inputs, trace: null })
  await server.stop()
  const traces = await readTraces(file)
  expect(activitiesOf(traces, 1)).toEqual(['HTTP_RECV_START', ...run, 'HTTP_SEND_END'])
  expect(new Set(traces.map(({ id }) => id))).toEqual(new Set([1]))
})

test('requests of code to other models are children of the one that they serve', async () => {
  const outer = defineModel({
    config: {
      input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
      output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
      maxBatchSize: 4,
    },
    async infer({ inputs }, context) {
      return context.infer('m', { IN: inputs.IN ?? [] })
    },
  })
  const { server, file } = await tracing(one, {}, { models: { outer } })
  await server.infer('outer', input(), { id: 'r' })
  await server.stop()
  const traces = await readTraces(file)
  expect(traces.filter(({ model_name }) => model_name)).toEqual([
    { id: 1, model_name: 'outer', model_version: 1, request_id: 'r' },
    { id: 2, model_name: 'm', model_version: 1, parent_id: 1 },
  ])
  expect(activitiesOf(traces, 2)).toEqual(run.filter((name) => name !== 'INFER_RESPONSE_COMPLETE'))
})

test('each step of an ensemble is a child', async () => {
  const ensemble = `
    platform: "ensemble" max_batch_size: 4
    input { name: "IN" data_type: TYPE_FP32 dims: 2 }
    output { name: "OUT" data_type: TYPE_FP32 dims: 2 }
    ensemble_scheduling {
      step { model_name: "m" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "mid" } }
      step { model_name: "m" model_version: -1 input_map { key: "IN" value: "mid" } output_map { key: "OUT" value: "OUT" } }
    }`
  const files = { ...one, 'e/config.pbtxt': ensemble, 'e/1/': '' }
  const { server, file } = await tracing(files, { level: ['TIMESTAMPS', 'TENSORS'] })
  await server.infer('e', input())
  await server.stop()
  const traces = await readTraces(file)
  expect(traces.filter(({ model_name }) => model_name)).toEqual([
    { id: 1, model_name: 'e', model_version: 1 },
    { id: 2, model_name: 'm', model_version: 1, parent_id: 1 },
    { id: 3, model_name: 'm', model_version: 1, parent_id: 1 },
  ])
  expect(activitiesOf(traces, 1)).toEqual([
    ...['REQUEST_START', 'QUEUE_START', 'TENSOR_QUEUE_INPUT IN', 'TENSOR_BACKEND_OUTPUT OUT'],
    ...['INFER_RESPONSE_COMPLETE', 'REQUEST_END'],
  ])
  expect(activitiesOf(traces, 3)).toEqual([
    ...['REQUEST_START', 'QUEUE_START', 'TENSOR_QUEUE_INPUT IN', 'TENSOR_BACKEND_INPUT IN', 'COMPUTE_START'],
    ...['COMPUTE_INPUT_END', 'COMPUTE_OUTPUT_START', 'COMPUTE_END', 'TENSOR_BACKEND_OUTPUT OUT', 'REQUEST_END'],
  ])
})

test('TENSORS alone tells of no times', async () => {
  const { server, file } = await tracing(one, { level: ['TENSORS'] })
  await server.infer('m', input())
  await server.stop()
  expect(await readTraces(file)).toEqual([
    {
      id: 1,
      activity: 'TENSOR_QUEUE_INPUT',
      tensor: { name: 'IN', data: '1,2', shape: '1,2', dtype: 'FP32' },
    },
    {
      id: 1,
      activity: 'TENSOR_BACKEND_INPUT',
      tensor: { name: 'IN', data: '1,2', shape: '1,2', dtype: 'FP32' },
    },
    {
      id: 1,
      activity: 'TENSOR_BACKEND_OUTPUT',
      tensor: { name: 'OUT', data: '1,2', shape: '1,2', dtype: 'FP32' },
    },
  ])
})

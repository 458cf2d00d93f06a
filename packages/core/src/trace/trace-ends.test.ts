import { setImmediate } from 'node:timers/promises'
import { manualBackend } from '@triton-ts/testing'
import { expect, test, vi } from 'vitest'
import type { ExecutionRequest } from '../backend/backend.ts'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { answer, config, input, manual, started, withManual } from '../fixtures/server-rig.ts'
import {
  defineModel,
  type Logger,
  silentLogger,
  type TraceExporter,
  type TraceRecorder,
  TritonError,
  tensor,
} from '../index.ts'
import { OpenTraces } from './fixtures/open-traces.ts'
import { readTraces, tracing } from './fixtures/trace-rig.ts'

const one = { 'm/config.pbtxt': config(), 'm/1/': '' }

test('what is complete is written at the stop, also when an endpoint never releases its trace', async () => {
  const { server, file } = await tracing(one, { logFrequency: 10 })
  await server.infer('m', input())
  server.startTrace('m')?.mark('HTTP_RECV_START')
  await server.stop()
  expect(new Set((await readTraces(`${file}.0`)).map(({ id }) => id))).toEqual(new Set([1]))
})

test('traces that tell of nothing count, so that the file of a count that is exhausted is written', async () => {
  const { server, file } = await tracing(one, { level: ['TENSORS'], count: 2 })
  server.startTrace('m')?.release()
  await server.infer('m', input())
  await vi.waitFor(async () => expect(await readTraces(`${file}.0`)).toHaveLength(3))
})

test('what code asks for when its own request is over belongs to no trace any more', async () => {
  let later: () => Promise<unknown> = async () => {}
  const outer = defineModel({
    config: {
      input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
      output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
      maxBatchSize: 4,
    },
    infer({ inputs }, context) {
      later = () => context.infer('m', { IN: new Float32Array([1, 2]) })
      return { OUT: inputs.IN ?? [] }
    },
  })
  const { server, file } = await tracing(one, { logFrequency: 10 }, { models: { outer } })
  await server.infer('outer', input())
  await later().catch(() => {})
  const open = server.startTrace('m')
  server.updateTraceSettings({ logFrequency: 0 })
  open?.mark('HTTP_RECV_START')
  open?.release()
  await server.stop()
  expect(new Set((await readTraces(`${file}.0`)).map(({ id }) => id))).toEqual(new Set([1, 3]))
})

test('a trace that two requests share ends with the last of them', async () => {
  const exporter = new OpenTraces()
  const { server, backend } = await withManual('', { trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
  const trace = server.startTrace('m') ?? null
  const inputs = [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array(2)) }]
  const answers = [1, 2].map(() => server.model('m').request({ inputs, trace }))
  trace?.release()
  for (const _ of answers) {
    expect(exporter.count).toBe(1)
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    finish()
  }
  await Promise.all(answers)
  expect(exporter.count).toBe(0)
})

test.each(['', 'dynamic_batching { preserve_ordering: true }', 'response_cache { enable: true }'])(
  'no trace stays open, whatever becomes of its request: %s',
  async (more) => {
    const exporter = new OpenTraces()
    const { server, backend } = await withManual(more, { trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
    const controller = new AbortController()
    const { signal } = controller
    const running = server.infer('m', input(), { signal })
    const queued = server.infer('m', input(), { signal })
    const { requests, finish } = await backend.next()
    await expect(server.infer('m', {})).rejects.toThrow('expected 1 inputs')
    controller.abort()
    await expect(running).rejects.toThrow('cancelled')
    await expect(queued).rejects.toThrow('cancelled')
    await expect(server.infer('m', input(), { signal })).rejects.toThrow('cancelled')
    requests[0]?.respond(answer)
    finish()
    await setImmediate()
    expect(exporter.count).toBe(0)
  },
)

const decoupled = 'model_transaction_policy { decoupled: true }'
const iterative = 'sequence_batching { iterative_sequence: true }'

/** What a backend does with a request, and how its caller fares. */
const ways: readonly [way: string, more: string, run: (request: ExecutionRequest, times: number) => void][] = [
  ['a decoupled request without a response', decoupled, (request) => request.end()],
  [
    'a request that runs twice',
    iterative,
    (request, times) => (times === 1 ? request.reschedule() : request.respond(answer)),
  ],
  ['a request whose backend forgets it', '', () => {}],
  ['a response that does not fit', '', (request) => request.respond({ outputs: {} })],
  [
    'a request that is answered twice',
    '',
    (request) => {
      request.respond(answer)
      request.respond(answer)
    },
  ],
  [
    'a decoupled request of which one response fails',
    decoupled,
    (request) => {
      request.fail(new TritonError('INTERNAL', 'one'), { final: false })
      request.respond(answer, { final: false })
      request.end()
    },
  ],
]

test.each(ways)('the trace of %s ends', async (_, more, run) => {
  for (const reportsStatistics of [false, true]) {
    const exporter = new OpenTraces()
    let times = 0
    const backend = inlineBackend('identity', () => ({
      execute: (requests) => {
        for (const request of requests) run(request, ++times)
      },
      instance: { reportsStatistics },
    }))
    const trace = { level: ['TIMESTAMPS', 'TENSORS'], rate: 1, exporter } as const
    const server = await started({ 'm/config.pbtxt': config(more), 'm/1/': '' }, { trace, backends: [backend] })
    const responses = server.model('m').inferStream(input())
    // Some fail.
    while (!(await responses.next().catch(() => ({ done: true }))).done);
    expect(exporter.begun).toBe(1)
    expect(exporter.count).toBe(0)
  }
})

test('traces of an ensemble whose step fails end, those of the other steps too', async () => {
  const exporter = new OpenTraces()
  const backend = manualBackend()
  const step = (model: string, output: string): string =>
    `step { model_name: "${model}" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "${output}" } }`
  const ensemble = `
    platform: "ensemble" max_batch_size: 4
    input { name: "IN" data_type: TYPE_FP32 dims: 2 }
    output [{ name: "A" data_type: TYPE_FP32 dims: 2 }, { name: "B" data_type: TYPE_FP32 dims: 2 }]
    ensemble_scheduling { ${step('m', 'A')} ${step('n', 'B')} }`
  const files = {
    ...{ 'm/config.pbtxt': manual(), 'm/1/': '', 'n/config.pbtxt': manual(), 'n/1/': '' },
    ...{ 'e/config.pbtxt': ensemble, 'e/1/': '' },
  }
  const server = await started(files, { backends: [backend], trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
  const answered = server.infer('e', input())
  const [first, second] = [await backend.next(), await backend.next()]
  first.requests[0]?.fail(new TritonError('INTERNAL', 'broken'))
  first.finish()
  expect(exporter.count).toBe(1)
  second.finish()
  await expect(answered).rejects.toThrow('broken')
  expect(exporter.count).toBe(0)
})

test('the trace of a request that a stop does not wait for ends with its backend, which may be never', async () => {
  const exporter = new OpenTraces()
  const trace = { level: ['TIMESTAMPS'], rate: 1, exporter } as const
  const { server, backend } = await withManual('', { trace, exitTimeout: 0 })
  const answers = [server.infer('m', input()), server.infer('m', input())]
  const { requests, finish } = await backend.next()
  const stopped = server.stop()
  for (const answered of answers) await expect(answered).rejects.toThrow('Server is stopping')
  await expect(stopped).rejects.toThrow('Exit timeout expired')
  expect(exporter.count).toBe(1)
  requests[0]?.respond(answer)
  finish()
  expect(exporter.count).toBe(0)
})

/** An exporter of which this part throws. */
function faulty(part: keyof TraceExporter | keyof TraceRecorder): TraceExporter {
  const fail = (name: string): void => {
    if (name === part) throw new Error(`no ${part}`)
  }
  return {
    mode: 'faulty',
    settings: {},
    join: () => void fail('join'),
    open() {
      fail('open')
      return {
        get traceId() {
          fail('traceId')
          return undefined
        },
        activity: () => fail('activity'),
        tensor: () => fail('tensor'),
        contextOf: () => {
          fail('contextOf')
          return ''
        },
        end: () => fail('end'),
      }
    },
    dispose: async () => fail('dispose'),
  }
}

test.each(['join', 'open', 'activity', 'tensor', 'end', 'dispose', 'contextOf', 'traceId'] as const)(
  'an exporter whose %s throws costs traces, is told of once, and nothing else',
  async (part) => {
    const errors: string[] = []
    const logger: Logger = { ...silentLogger, error: (_, text) => errors.push(text) }
    const asking = defineModel({
      config: {
        input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
        output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
      },
      infer({ inputs, traceContext }) {
        expect(traceContext).toBe('')
        return { OUT: inputs.IN ?? [] }
      },
    })
    const trace = { level: ['TIMESTAMPS', 'TENSORS'], rate: 1, exporter: faulty(part) } as const
    const server = await started({}, { models: { asking }, trace, logger, logVerbose: 1 })
    for (let i = 0; i < 3; i++) {
      expect((await server.infer('asking', { IN: [1, 2] })).OUT?.data).toEqual(new Float32Array([1, 2]))
    }
    await expect(server.infer('asking', {})).rejects.toThrow('expected 1 inputs')
    await server.stop()
    expect(errors).toEqual([expect.stringContaining(`no ${part}`)])
  },
)

import { context, ROOT_CONTEXT, type SpanContext, SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { defineModel, Server, type ServerOptions, type TraceOptions } from '@triton-ts/core'
import { virtualClock } from '@triton-ts/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTelemetry } from './index.ts'

const config = {
  input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
  output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
} as const

/** Answers with its input. */
const echo = defineModel({ config, infer: ({ inputs }) => ({ OUT: inputs.IN ?? [] }) })

/** Asks the model `echo`. */
const outer = defineModel({
  config,
  infer: ({ inputs }, { infer }) => infer('echo', { IN: inputs.IN ?? [] }),
})

const input = { IN: [1, 2] }
const finished = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(finished)] })
const servers: Server[] = []

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  finished.reset()
})
afterAll(() => context.disable())

/** A Server that traces every request to the application's provider. */
async function tracing(more: TraceOptions = {}, options: ServerOptions = {}): Promise<Server> {
  const exporter = openTelemetry({ tracerProvider: provider })
  const server = await Server.start({
    models: { echo, outer },
    trace: { level: ['TIMESTAMPS'], rate: 1, exporter, ...more },
    ...options,
  })
  servers.push(server)
  return server
}

/** Names of spans with those of their parents. */
function tree(): string[] {
  const spans = finished.getFinishedSpans()
  const nameOf = (id: string | undefined): string =>
    spans.find((span) => span.spanContext().spanId === id)?.name ?? (id === undefined ? 'nothing' : 'the caller')
  return spans.map((span) => `${span.name} in ${nameOf(span.parentSpanContext?.spanId)}`).sort()
}

function spanOf(name: string): ReadableSpan {
  const span = finished.getFinishedSpans().find((one) => one.name === name)
  if (span === undefined) throw new Error(`no span '${name}'`)
  return span
}

test('a request is a span, in it that of its model, in that its computing', async () => {
  const clock = virtualClock(5_000)
  const server = await tracing({}, { clock })
  await server.model('echo').request({
    id: 'r',
    inputs: [{ name: 'IN', tensor: (await server.infer('echo', input)).OUT! }],
  })
  finished.reset()
  await server.infer('echo', input, { id: 'r7' })
  expect(tree()).toEqual(['InferRequest in nothing', 'compute in echo', 'echo in InferRequest'])
  expect(spanOf('InferRequest').kind).toBe(SpanKind.SERVER)
  expect(spanOf('InferRequest').events.map(({ name }) => name)).toEqual(['INFER_RESPONSE_COMPLETE'])
  expect(spanOf('echo').events.map(({ name }) => name)).toEqual(['REQUEST_START', 'QUEUE_START', 'REQUEST_END'])
  expect(spanOf('compute').events.map(({ name }) => name)).toEqual([
    ...['COMPUTE_START', 'COMPUTE_INPUT_END', 'COMPUTE_OUTPUT_START', 'COMPUTE_END'],
  ])
  expect(spanOf('echo').attributes).toEqual({
    'triton.model_name': 'echo',
    'triton.model_version': 1,
    'triton.trace_id': 3,
    'triton.trace_parent_id': 0,
    'triton.request_id': 'r7',
  })
  expect(spanOf('echo').startTime).toEqual([5, 0])
})

test('what code asks of other models is in the span of its model', async () => {
  const server = await tracing()
  await server.infer('outer', input)
  expect(tree()).toEqual([
    ...['InferRequest in nothing', 'compute in echo', 'compute in outer', 'echo in outer', 'outer in InferRequest'],
  ])
})

test('the active span of the application is the parent, whatever rate and count say', async () => {
  const server = await tracing({ rate: 1000, count: 0 })
  const span = provider.getTracer('app').startSpan('handle order')
  await context.with(trace.setSpan(ROOT_CONTEXT, span), () => server.infer('echo', input))
  span.end()
  await server.infer('echo', input)
  expect(tree()).toEqual([
    ...['InferRequest in handle order', 'compute in echo', 'echo in InferRequest', 'handle order in nothing'],
  ])
})

test('requests that wait for the same model to be loaded have each the parent of their caller', async () => {
  const server = await tracing({}, { modelControl: 'on-demand' })
  const ask = async (name: string): Promise<void> => {
    const span = provider.getTracer('app').startSpan(name)
    await context.with(trace.setSpan(ROOT_CONTEXT, span), () => server.infer('echo', input))
    span.end()
  }
  await Promise.all([ask('first'), ask('second')])
  expect(tree().filter((line) => line.startsWith('InferRequest'))).toEqual([
    ...['InferRequest in first', 'InferRequest in second'],
  ])
})

test('a span processor that throws costs spans, and nothing else', async () => {
  const fail = (): never => {
    throw new Error('no room')
  }
  const processor = { onStart: fail, onEnd: fail, forceFlush: async () => {}, shutdown: async () => {} }
  const faulty = new BasicTracerProvider({ spanProcessors: [processor] })
  const server = await tracing({ exporter: openTelemetry({ tracerProvider: faulty }) })
  expect((await server.infer('echo', input)).OUT?.data).toEqual(new Float32Array([1, 2]))
})

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('headers of W3C trace context name the parent, and force the trace', async () => {
  const server = await tracing({ rate: 1000, count: 0 })
  const headers = new Map([
    ['traceparent', traceparent],
    ['tracestate', 'vendor=1'],
  ])
  const traced = server.startTrace('echo', (name) => headers.get(name))
  expect(traced?.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  traced?.release()
  expect(server.startTrace('echo', () => undefined)).toBeUndefined()
  const root = spanOf('InferRequest')
  expect(root.parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7', isRemote: true })
  expect(root.spanContext().traceState?.serialize()).toBe('vendor=1')
})

test('headers that are no trace context are overlooked', async () => {
  const server = await tracing({ rate: 0 })
  const broken = [
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01',
    'nothing',
  ]
  for (const text of broken) {
    expect(server.startTrace('echo', (name) => (name === 'traceparent' ? text : undefined))).toBeUndefined()
  }
  const later = server.startTrace('echo', (name) =>
    name === 'traceparent' ? `01${traceparent.slice(2)}-x` : undefined,
  )
  expect(later).toBeDefined()
  later?.release()
})

test('nothing is traced while the level is off, also not for a caller that is', async () => {
  const server = await tracing({ level: [] })
  expect(server.startTrace('echo', () => traceparent)).toBeUndefined()
})

test('a backend gets the context of the span of its model, and adds spans of its own', async () => {
  const server = await Server.start({
    models: {},
    modelControl: 'none',
    trace: { level: ['TIMESTAMPS'], rate: 1, exporter: openTelemetry({ tracerProvider: provider }) },
  })
  servers.push(server)
  const traced = server.startTrace('m')
  traced?.begin({ modelName: 'm', id: '' }, 1, 0)
  const given = traced?.context
  traced?.report('TOKENIZE_START', 1_000n)
  traced?.report('CACHE_START', 2_000n)
  traced?.report('TOKENIZE_END', 3_000n)
  traced?.report('note', 4_000n)
  traced?.report('CACHE_END', 5_000n)
  traced?.end()
  traced?.release()
  expect(tree()).toEqual([...['CACHE in TOKENIZE', 'InferRequest in nothing', 'TOKENIZE in m', 'm in InferRequest']])
  expect(spanOf('CACHE').events.map(({ name }) => name)).toContain('note')
  const { traceId, spanId }: SpanContext = spanOf('m').spanContext()
  expect(JSON.parse(given ?? '')).toEqual({ traceparent: `00-${traceId}-${spanId}-01` })
})

test('a provider that samples nothing costs no request', async () => {
  const quiet = new BasicTracerProvider({ sampler: new AlwaysOffSampler() })
  const server = await tracing({ exporter: openTelemetry({ tracerProvider: quiet }) })
  expect((await server.infer('echo', input)).OUT?.data).toEqual(new Float32Array([1, 2]))
})

test('the settings tell of no file', async () => {
  const server = await tracing()
  expect(server.traceSettings()).toMatchObject({ mode: 'opentelemetry', file: '' })
})

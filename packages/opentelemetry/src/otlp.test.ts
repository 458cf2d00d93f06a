import { defineModel, type Logger, Server, tensor } from '@triton-ts/core'
import { expect, test, vi } from 'vitest'
import { Collector, collectorCommand } from './fixtures/collector.ts'
import { Receiver } from './fixtures/receiver.ts'
import { type OtlpOptions, otlp } from './index.ts'

const echo = defineModel({
  config: {
    input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
    output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
  },
  infer: ({ inputs }) => ({ OUT: inputs.IN ?? [] }),
})

async function tracing(options: OtlpOptions): Promise<Server> {
  const exporter = await otlp(options)
  return Server.start({ models: { echo }, trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
}

const infer = async (server: Server): Promise<number[]> => {
  const { OUT } = await server.infer('echo', { IN: tensor('FP32', [2], new Float32Array([1, 2])) })
  return [...((OUT?.data ?? []) as Float32Array)]
}

test('spans come to a collector, at the latest when the Server stops', async () => {
  await using receiver = await Receiver.open()
  const server = await tracing({ url: receiver.url, resource: { 'deployment.environment.name': 'test' } })
  await infer(server)
  await server.stop()
  expect(receiver.resource.get('service.name')).toBe('triton-inference-server')
  expect(receiver.resource.get('deployment.environment.name')).toBe('test')
  const [root] = receiver.spans.filter(({ name }) => name === 'InferRequest')
  const [model] = receiver.spans.filter(({ name }) => name === 'echo')
  const [compute] = receiver.spans.filter(({ name }) => name === 'compute')
  expect([root?.parent, model?.parent, compute?.parent]).toEqual(['', root?.id, model?.id])
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(model?.events).toEqual(['REQUEST_START', 'QUEUE_START', 'REQUEST_END'])
})

test('a resource may name the service itself', async () => {
  await using receiver = await Receiver.open()
  const server = await tracing({ url: receiver.url, resource: { 'service.name': 'ranking' } })
  await infer(server)
  await server.stop()
  expect(receiver.resource.get('service.name')).toBe('ranking')
})

test('spans are sent as soon as there are as many as go together', async () => {
  await using receiver = await Receiver.open()
  const server = await tracing({ url: receiver.url, maxExportBatchSize: 3, scheduleDelay: 3_600_000 })
  await infer(server)
  await vi.waitFor(() => expect(receiver.spans).toHaveLength(3), { timeout: 10_000 })
  await server.stop()
})

test('a collector that refuses costs spans, is told of once, and nothing else', async () => {
  await using receiver = await Receiver.open()
  receiver.status = 400
  const warnings: string[] = []
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: (_, text) => warnings.push(text),
    error: () => {},
  }
  const server = await tracing({ url: receiver.url, maxExportBatchSize: 3, logger })
  for (let i = 0; i < 5; i++) expect(await infer(server)).toEqual([1, 2])
  await server.stop()
  expect(receiver.requests).toBeGreaterThan(1)
  expect(warnings).toEqual([expect.stringContaining('spans are lost: the collector does not take them')])
})

test('a collector that never answers holds the stop of the Server for a bounded time', async () => {
  await using receiver = await Receiver.open()
  receiver.status = undefined
  const server = await tracing({ url: receiver.url, timeout: 200 })
  expect(await infer(server)).toEqual([1, 2])
  await server.stop()
  expect(receiver.requests).toBeGreaterThan(0)
})

test('what waits for a collector is bounded', async () => {
  await using receiver = await Receiver.open()
  const server = await tracing({ url: receiver.url, maxQueueSize: 6, maxExportBatchSize: 6, scheduleDelay: 3_600_000 })
  receiver.status = undefined
  await Promise.all(Array.from({ length: 100 }, () => infer(server)))
  receiver.status = 200
  await server.stop()
  expect(receiver.spans.length).toBeLessThanOrEqual(12)
})

if (collectorCommand === undefined) {
  console.log('skipped: no OpenTelemetry Collector on the path, nor where TRITON_TS_OTELCOL says')
}

test.skipIf(collectorCommand === undefined)('a real collector takes the spans', { timeout: 60_000 }, async () => {
  await using collector = await Collector.start(collectorCommand ?? '')
  const server = await tracing({ url: collector.url })
  await infer(server)
  await server.stop()
  await vi.waitFor(() => expect(collector.printed).toContain('Name           : InferRequest'), { timeout: 10_000 })
  for (const text of [
    'service.name: Str(triton-inference-server)',
    'Name           : compute',
    'Kind           : Server',
  ]) {
    expect(collector.printed).toContain(text)
  }
  expect(collector.printed).toContain('triton.model_name: Str(echo)')
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, expect, test } from 'vitest'
import { answer, config, input, manual, started, withManual } from '../fixtures/server-rig.ts'
import { defineModel, type Logger, silentLogger, type Tensor, TritonError } from '../index.ts'

const subscriptions: (() => void)[] = []
afterEach(() => {
  for (const end of subscriptions.splice(0)) end()
})

type Told = readonly [channel: string, message: Readonly<Record<string, unknown>>]

/** What is told on these channels from now on, by their published names. */
function listen(...names: readonly string[]): Told[] {
  const told: Told[] = []
  for (const name of names) {
    // What a message says later must not change what was heard.
    const hear = (message: unknown): void => void told.push([name, { ...(message as object) }])
    subscribe(`triton-ts:${name}`, hear)
    subscriptions.push(() => unsubscribe(`triton-ts:${name}`, hear))
  }
  return told
}

const number = expect.any(Number)
const message = (more: object = {}): object => ({
  model: 'm',
  version: 1,
  requestId: 'r',
  batchSize: 1,
  startTime: number,
  traceId: undefined,
  parent: undefined,
  ...more,
})

test('a request is told with its batch, and its end with how long it took', async () => {
  const { server, backend } = await withManual()
  const told = listen('request:start', 'request:end', 'batch:start', 'batch:end')
  const answered = server.infer('m', input(), { id: 'r' })
  const execution = await backend.next()
  execution.requests[0]?.respond(answer)
  execution.finish()
  await answered
  const batch = { model: 'm', instance: 'm_0_0', batchSize: 1, requests: [message({ duration: number })] }
  expect(told).toEqual([
    ['request:start', message()],
    ['batch:start', batch],
    ['request:end', message({ duration: number })],
    ['batch:end', { ...batch, duration: number }],
  ])
})

test('start and end are the same object', async () => {
  const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' })
  const seen: unknown[] = []
  for (const name of ['triton-ts:request:start', 'triton-ts:request:end']) {
    const hear = (told: unknown): void => void seen.push(told)
    subscribe(name, hear)
    subscriptions.push(() => unsubscribe(name, hear))
  }
  await server.infer('m', input())
  expect(seen).toHaveLength(2)
  expect(seen[0]).toBe(seen[1])
})

test('a failure is told with its error, a cancellation at once', async () => {
  const { server, backend } = await withManual()
  const told = listen('request:end')
  const failed = server.infer('m', input(), { id: 'r' })
  const execution = await backend.next()
  execution.requests[0]?.fail(new TritonError('INTERNAL', 'broken'))
  execution.finish()
  await expect(failed).rejects.toThrow('broken')
  const controller = new AbortController()
  const cancelled = server.infer('m', input(), { id: 'r', signal: controller.signal })
  const running = await backend.next()
  controller.abort()
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
  const errors = (): unknown[] => told.map(([, { error }]) => (error as TritonError).code)
  expect(errors()).toEqual(['INTERNAL', 'CANCELLED'])
  running.finish()
  expect(errors()).toEqual(['INTERNAL', 'CANCELLED'])
})

test('requests that are not taken are told as refused, or as ended when they were queued', async () => {
  const queue = 'dynamic_batching { default_queue_policy { max_queue_size: 1 } }'
  const { server, backend } = await withManual(queue)
  const told = listen('request:start', 'request:end', 'request:refused')
  await expect(server.infer('m', {}, { id: 'r' })).rejects.toThrow('expected 1 inputs but got 0')
  expect(told).toEqual([
    [
      'request:refused',
      { model: 'm', version: 1, requestId: 'r', error: expect.objectContaining({ code: 'INVALID_ARG' }) },
    ],
  ])
  told.length = 0
  const first = server.infer('m', input(), { id: '1' })
  const execution = await backend.next()
  const second = server.infer('m', input(), { id: '2' })
  await expect(server.infer('m', input(), { id: '3' })).rejects.toThrow('Exceeds maximum queue size')
  expect(told.map(([name, { requestId }]) => [name, requestId])).toEqual([
    ['request:start', '1'],
    ['request:start', '2'],
    ['request:start', '3'],
    ['request:end', '3'],
  ])
  for (const { requests, finish } of [execution]) {
    requests[0]?.respond(answer)
    finish()
  }
  const next = await backend.next()
  next.requests[0]?.respond(answer)
  next.finish()
  await Promise.all([first, second])
})

test('a request that is cancelled when its start is told has an end, and nothing is left of it', async () => {
  for (const more of [
    '',
    'dynamic_batching {}',
    'dynamic_batching { preserve_ordering: true }',
    'sequence_batching {}',
  ]) {
    const { server, backend } = await withManual(more)
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    const told = listen('request:start', 'request:end')
    subscribe('triton-ts:request:start', abort)
    const end = (): boolean => unsubscribe('triton-ts:request:start', abort)
    subscriptions.push(end)
    const options = { id: 'r', correlationId: 1n, sequenceStart: true, sequenceEnd: true }
    const cancelled = server.infer('m', input(), { ...options, signal: controller.signal })
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(told.map(([name]) => name)).toEqual(['request:start', 'request:end'])
    expect(told[1]?.[1]).toMatchObject({ error: { code: 'CANCELLED' } })
    end()
    const next = server.infer('m', input(), options)
    const { requests, finish } = await backend.next()
    for (const request of requests) request.respond(answer)
    finish()
    await next
    await server.stop()
  }
})

test('a request that comes while the Server stops is told as refused', async () => {
  const { server, backend } = await withManual()
  const first = server.infer('m', input())
  const { requests, finish } = await backend.next()
  const model = server.model('m')
  const stopped = server.stop()
  const told = listen('request:refused')
  await expect(model.infer(input(), { id: 'r' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (const request of requests) request.respond(answer)
  finish()
  await Promise.all([first, stopped])
  expect(told).toEqual([
    ['request:refused', expect.objectContaining({ requestId: 'r', error: expect.any(TritonError) })],
  ])
})

test('a request that serves another one names it', async () => {
  const outer = defineModel({
    config: {
      input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [1, 2] }],
      output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [1, 2] }],
    },
    infer: ({ inputs }, { infer }) => infer('m', { IN: inputs.IN as Tensor }),
  })
  const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { models: { outer } })
  const told = listen('request:start')
  await server.infer('outer', { IN: [[1, 2]] }, { id: 'r' })
  expect(told.map(([, { model, parent }]) => [model, parent && (parent as { model: string }).model])).toEqual([
    ['outer', undefined],
    ['m', 'outer'],
  ])
})

test('what becomes of models and of the Server is told', async () => {
  const told = listen('model:ready', 'model:unavailable', 'server:state')
  const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' })
  await server.stop()
  expect(told).toContainEqual(['model:ready', { name: 'm', version: 1 }])
  expect(told).toContainEqual(['model:unavailable', { name: 'm', version: 1, reason: 'unloaded' }])
  expect(told.filter(([name]) => name === 'server:state')).toHaveLength(4)
})

test('failed requests are verbose messages with all that is known of them', async () => {
  const lines: unknown[] = []
  const logger: Logger = { ...silentLogger, debug: (fields, text) => lines.push([fields, text]) }
  const server = await started({ 'm/config.pbtxt': manual().replace('manual', 'identity'), 'm/1/': '' }, { logger })
  const fail = (id?: string): Promise<unknown> => server.infer('m', {}, { id }).catch(() => {})
  await fail('r')
  expect(lines).toEqual([])
  server.updateLogSettings({ logVerboseLevel: 1 })
  await fail('r')
  await fail()
  const text =
    "expected 1 inputs but got 0 inputs for model 'm'. Got input(s) [], but missing required input(s) ['IN']."
  expect(lines).toEqual([
    [
      { requestId: 'r', model: 'm', version: 1, err: expect.objectContaining({ code: 'INVALID_ARG' }) },
      expect.stringContaining('[request id: r] Infer failed: '),
    ],
    [{ requestId: '', model: 'm', version: 1, err: expect.any(TritonError) }, expect.stringContaining(text)],
  ])
})

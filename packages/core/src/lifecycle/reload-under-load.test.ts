import { setImmediate } from 'node:timers/promises'
import { type Execution, type ManualBackend, manualBackend, type TemporaryRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, loaded } from '../fixtures/server-rig.ts'
import { type Server, TritonError } from '../index.ts'

const warmUp = `model_warmup { name: "sample" batch_size: 1 inputs { key: "IN" value {
  data_type: TYPE_FP32 dims: 2 zero_data: true } } }`

/** `m`, whose instances are named after `generation`, so that one can tell which load a request ran on. */
const model = (generation: string, more = '') =>
  config(`${more} instance_group { name: "${generation}" kind: KIND_CPU count: 1 }`).replace('"identity"', '"manual"')

interface Rig {
  readonly server: Server
  readonly backend: ManualBackend
  readonly files: TemporaryRepository
  /** Changes the model's file and configuration, which needs another version object, and loads it. */
  reload(generation: string, more?: string): Promise<void>
}

async function serve(more = ''): Promise<Rig> {
  const backend = manualBackend()
  const old = { 'm/config.pbtxt': model('old', more), 'm/1/model': '' }
  const { server, files } = await loaded(old, { backends: [backend] })
  return {
    server,
    backend,
    files,
    async reload(generation, changed = more) {
      await files.write({ 'm/config.pbtxt': model(generation, changed), 'm/1/model': generation })
      await server.load('m')
    },
  }
}

function complete({ requests, finish }: Execution): void {
  for (const request of requests) request.respond(answer)
  finish()
}

/** Runs the oldest batch that waits for the test; the instance that it is on. */
async function runNext(backend: ManualBackend): Promise<string> {
  const execution = await backend.next()
  complete(execution)
  return execution.instance
}

describe.each([
  ['without batching', ''],
  ['with batches', 'dynamic_batching { preferred_batch_size: 1 }'],
  ['with order', 'dynamic_batching { preserve_ordering: true preferred_batch_size: 1 }'],
])('%s', (_, batching) => {
  test('requests that run and that wait end on the version they came to, and later ones do not wait for them', async () => {
    const { server, backend, reload } = await serve(batching)
    const running = server.infer('m', input())
    const first = await backend.next()
    const waiting = [server.infer('m', input()), server.infer('m', input())]
    await reload('new')
    const later = server.infer('m', input())
    expect(await runNext(backend)).toBe('new_0')
    expect(await later).toHaveProperty('OUT')
    expect(backend.log).not.toContain('dispose old_0')

    complete(first)
    expect(await running).toHaveProperty('OUT')
    for (const _ of waiting) expect(await runNext(backend)).toBe('old_0')
    for (const answered of await Promise.all(waiting)) expect(answered).toHaveProperty('OUT')
    await setImmediate()
    expect(backend.log.slice(-2)).toEqual(['dispose old_0', 'dispose m 1'])
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: { count: 1 }, fail: { count: 0 } })
  })
})

test('the old version serves until the new one is warm', async () => {
  const { server, backend, reload } = await serve()
  const loading = reload('new', warmUp)
  const sample = await backend.next()
  expect(sample.instance).toBe('new_0')
  expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'READY' }])
  expect(await server.isReady()).toBe(true)
  const meanwhile = server.infer('m', input())
  expect(await runNext(backend)).toBe('old_0')
  await meanwhile
  complete(sample)
  await loading
  const after = server.infer('m', input())
  expect(await runNext(backend)).toBe('new_0')
  await after
})

test('a request that is cancelled while it waits for a version that was replaced lets that version go', async () => {
  const { server, backend, reload } = await serve()
  const running = server.infer('m', input())
  const first = await backend.next()
  const abort = new AbortController()
  const waiting = server.infer('m', input(), { signal: abort.signal })
  await reload('new')
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  complete(first)
  await running
  await setImmediate()
  expect(backend.log.slice(-2)).toEqual(['dispose old_0', 'dispose m 1'])
})

test('twenty reloads and a failed one, under callers that never pause: no request fails or runs on what is gone', async () => {
  const { server, backend, files, reload } = await serve('dynamic_batching {}')
  let isOver = false
  let answers = 0
  const used = new Set<string>()
  const caller = async (): Promise<void> => {
    for (; !isOver; answers++) expect(await server.infer('m', input())).toHaveProperty('OUT')
  }
  let calling = 8
  const callers = Array.from({ length: calling }, () => caller().finally(() => calling--))
  const serving = (async () => {
    for (; calling > 0; await setImmediate()) {
      // Callers ask again at once: more than waits now would leave the reload no turn of the event loop.
      for (let waiting = backend.waiting; waiting > 0; waiting--) {
        const execution = await backend.next()
        expect(backend.log).not.toContain(`dispose ${execution.instance}`)
        used.add(execution.instance)
        complete(execution)
      }
    }
  })()
  for (let i = 1; i <= 20; i++) {
    await reload(`g${i}`)
    if (i !== 10) continue
    await files.write({ 'm/config.pbtxt': 'nonsense' })
    await expect(server.load('m')).rejects.toBeInstanceOf(TritonError)
  }
  isOver = true
  await Promise.all([...callers, serving])
  await setImmediate()
  expect(answers).toBeGreaterThan(20)
  expect(used.size).toBeGreaterThan(1)
  const last = server.infer('m', input())
  expect(await runNext(backend)).toBe('g20_0')
  await last
  expect(backend.log.filter((line) => line === 'dispose m 1')).toHaveLength(20)
  expect(server.statistics('m')[0]?.inferenceStats.fail.count).toBe(0)
})

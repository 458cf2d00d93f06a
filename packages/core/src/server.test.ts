import { getEventListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  echoBackend,
  type ManualBackend,
  manualBackend,
  modelRepository,
  type RepositoryFiles,
  virtualClock,
} from '@triton-ts/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { type Logger, Server, type ServerOptions, silentLogger, Tensor, TritonError, tensor } from './index.ts'

const cleanups: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const config = (more = '') => `
  backend: "identity" max_batch_size: 4 ${more}
  input { name: "IN" data_type: TYPE_FP32 dims: 2 }
  output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`

const manual = (more = '') =>
  config(`${more} instance_group { kind: KIND_CPU count: 1 }`).replace('"identity"', '"manual"')

async function repository(files: RepositoryFiles) {
  const made = await modelRepository(files)
  cleanups.push(() => made[Symbol.asyncDispose]())
  return made
}

async function started(files: RepositoryFiles, options: ServerOptions = {}) {
  const { path } = await repository(files)
  const server = new Server({ modelRepository: path, backends: [echoBackend()], ...options })
  cleanups.push(() => server.stop().catch(() => {}))
  await server.start()
  return server
}

const input = () => ({ IN: new Float32Array([1, 2]) })
const answer = { outputs: { OUT: tensor('FP32', [1, 2], new Float32Array([3, 4])) } }

async function withManual(
  more?: string,
  options: ServerOptions = {},
): Promise<{ server: Server; backend: ManualBackend }> {
  const backend = manualBackend()
  const server = await started({ 'm/config.pbtxt': manual(more), 'm/1/': '' }, { backends: [backend], ...options })
  return { server, backend }
}

describe('inference', () => {
  test('inputs in, outputs by name out', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    const { OUT } = await server.infer('echo', input())
    expect(OUT).toBeInstanceOf(Tensor)
    expect(OUT?.shape).toEqual([1, 2])
    expect([...(OUT?.data ?? [])]).toEqual([1, 2])
  })

  test('the long form tells model, version, id and parameters', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/3/': '' })
    const request = { id: 'r1', inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array(2)) }] }
    expect(await server.model('echo').request(request)).toMatchObject({
      modelName: 'echo',
      modelVersion: 3,
      id: 'r1',
      parameters: {},
    })
  })

  test('unknown models and versions are refused with the texts of Triton', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('nope', {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'nope' is not found",
    })
    await expect(server.infer('echo', input(), { version: 9 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'echo' version 9 is not found",
    })
  })

  test('requests run in order of arrival, one at a time on one instance', async () => {
    const { server, backend } = await withManual()
    const order: number[] = []
    const all = [1, 2, 3].map((n) => server.infer('m', input(), { id: String(n) }).then(() => order.push(n)))
    for (const n of [1, 2, 3]) {
      const { requests, finish } = await backend.next()
      expect(backend.waiting).toBe(0)
      expect(requests.map(({ id }) => id)).toEqual([String(n)])
      requests[0]?.respond(answer)
      finish()
    }
    await Promise.all(all)
    expect(order).toEqual([1, 2, 3])
  })

  test('as many requests run at the same time as there are instances', async () => {
    const { server, backend } = await withManual('instance_group { kind: KIND_CPU count: 2 }')
    const all = [1, 2, 3, 4].map(() => server.infer('m', input()))
    const running = [await backend.next(), await backend.next(), await backend.next()]
    expect(new Set(running.map(({ instance }) => instance))).toEqual(new Set(['m_0_0', 'm_0_1', 'm_1_0']))
    expect(backend.waiting).toBe(0)
    for (const { requests, finish } of running) {
      requests[0]?.respond(answer)
      finish()
    }
    const last = await backend.next()
    last.requests[0]?.respond(answer)
    last.finish()
    expect(await Promise.all(all)).toHaveLength(4)
  })

  test('what the backend throws fails the request', async () => {
    const { server, backend } = await withManual()
    const failing = server.infer('m', input())
    ;(await backend.next()).fail(new TritonError('UNAVAILABLE', 'device lost'))
    await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'device lost' })
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: { count: 0 }, fail: { count: 1 } })
    expect(server.statistics('m')[0]?.executionCount).toBe(0)
  })

  test('a backend that forgets a request does not leave its caller waiting', async () => {
    const { server, backend } = await withManual()
    const forgotten = server.infer('m', input())
    ;(await backend.next()).finish()
    await expect(forgotten).rejects.toThrow("instance 'm_0_0' returned without answering the request")
  })

  test('a request that the backend keeps may be answered later', async () => {
    const { server, backend } = await withManual()
    const kept = server.infer('m', input())
    const { requests, finish } = await backend.next()
    requests[0]?.keep()
    finish()
    requests[0]?.respond(answer)
    expect((await kept).OUT?.shape).toEqual([1, 2])
    expect(() => requests[0]?.respond(answer)).toThrow('while it is RELEASED')
  })

  test('an output that the model does not have is an error of the backend', async () => {
    const { server, backend } = await withManual()
    const wrong = server.infer('m', input())
    const { requests, fail } = await backend.next()
    try {
      requests[0]?.respond({ outputs: { NO: answer.outputs.OUT } })
    } catch (error) {
      fail(error)
    }
    await expect(wrong).rejects.toThrow("unexpected inference output 'NO' for model 'm'")
  })

  test('reshape is undone for the caller', async () => {
    const files = {
      'r/config.pbtxt': `backend: "identity"
        input { name: "IN" data_type: TYPE_FP32 dims: [ -1, 2 ] reshape { shape: [ -1, 1, 2 ] } }
        output { name: "OUT" data_type: TYPE_FP32 dims: [ -1, 2 ] reshape { shape: [ -1, 1, 2 ] } }`,
      'r/1/': '',
    }
    const server = await started(files)
    const { OUT } = await server.infer('r', { IN: tensor('FP32', [3, 2], new Float32Array(6)) })
    expect(OUT?.shape).toEqual([3, 2])
  })

  test('ten thousand requests at once to an inline backend', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    const all = await Promise.all(Array.from({ length: 10_000 }, () => server.infer('echo', input())))
    expect(all).toHaveLength(10_000)
    expect(server.statistics('echo')[0]?.inferenceCount).toBe(10_000)
  })
})

describe('cancellation', () => {
  test('a waiting request leaves the queue', async () => {
    const { server, backend } = await withManual()
    const running = server.infer('m', input())
    const abort = new AbortController()
    const waiting = server.infer('m', input(), { signal: abort.signal })
    abort.abort(new Error('not needed'))
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED', cause: new Error('not needed') })
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    finish()
    await running
    expect(backend.waiting).toBe(0)
    expect(server.metrics()).toContain('nv_inference_request_failure{model="m",reason="CANCELED",version="1"} 1')
  })

  test('a running request answers its caller at once and tells the backend; the instance stays taken', async () => {
    const { server, backend } = await withManual()
    const abort = new AbortController()
    const cancelled = server.infer('m', input(), { signal: abort.signal })
    const next = server.infer('m', input())
    const { requests, finish } = await backend.next()
    const [request] = requests
    const { signal } = request as NonNullable<typeof request>
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(request?.isCancelled).toBe(true)
    expect(signal.aborted).toBe(true)
    expect(backend.waiting).toBe(0)
    request?.respond(answer)
    finish()
    const second = await backend.next()
    second.requests[0]?.respond(answer)
    second.finish()
    await next
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: { count: 1 }, fail: { count: 1 } })
  })

  test('one signal may serve any number of requests', async () => {
    const { server, backend } = await withManual()
    const { signal } = new AbortController()
    const all = Array.from({ length: 50 }, () => server.infer('m', input(), { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const _ of all) {
      const { requests, finish } = await backend.next()
      requests[0]?.respond(answer)
      finish()
    }
    await Promise.all(all)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test.each([1.5, -1, Number.NaN, 2n ** 64n])('correlation id %s is refused', async (correlationId) => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('echo', input(), { correlationId })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: `correlation id ${correlationId} is not a string or an integer from 0 to 2^64 - 1`,
    })
  })

  test('an aborted signal is refused before anything runs', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('echo', input(), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('decoupled models', () => {
  const decoupled = 'model_transaction_policy { decoupled: true }'

  test('responses stream until the end', async () => {
    const { server, backend } = await withManual(decoupled)
    const seen: number[] = []
    const reading = (async () => {
      for await (const { OUT } of server.inferStream('m', input())) seen.push(OUT?.data[0] as number)
    })()
    const { requests, finish } = await backend.next()
    for (const n of [1, 2, 3]) {
      requests[0]?.respond({ outputs: { OUT: tensor('FP32', [1, 2], new Float32Array([n, n])) } }, { final: false })
    }
    requests[0]?.end()
    finish()
    await reading
    expect(seen).toEqual([1, 2, 3])
  })

  test('leaving the loop cancels the request', async () => {
    const { server, backend } = await withManual(decoupled)
    const reading = (async () => {
      for await (const _ of server.inferStream('m', input())) break
    })()
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer, { final: false })
    await reading
    expect(requests[0]?.isCancelled).toBe(true)
    requests[0]?.end()
    finish()
  })

  test('leaving while a response is waited for cancels the request', async () => {
    const { server, backend } = await withManual(decoupled)
    const stream = server.model('m').inferStream(input())
    const waiting = stream.next()
    const { requests, finish } = await backend.next()
    await stream.return?.()
    expect(await waiting).toMatchObject({ done: true })
    expect(requests[0]?.isCancelled).toBe(true)
    requests[0]?.end()
    finish()
  })

  test('an error ends the stream', async () => {
    const { server, backend } = await withManual(decoupled)
    const stream = server.inferStream('m', input())[Symbol.asyncIterator]()
    const first = stream.next()
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer, { final: false })
    requests[0]?.fail(new TritonError('INTERNAL', 'broke'))
    finish()
    expect((await first).done).toBe(false)
    await expect(stream.next()).rejects.toThrow('broke')
    expect(await stream.next()).toMatchObject({ done: true })
  })

  test('infer refuses', async () => {
    const { server } = await withManual(decoupled)
    await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describe('life cycle', () => {
  test('a model that fails to load stops the start and says why, with file and line', async () => {
    const { path } = await repository({
      'bad/config.pbtxt': 'max_batch_sizee: 4',
      'bad/1/': '',
      'good/config.pbtxt': config(),
      'good/1/': '',
    })
    const server = new Server({ modelRepository: path, backends: [echoBackend()] })
    await expect(server.start()).rejects.toThrow(
      /^failed to load all models\n'bad': .*config\.pbtxt:1:1: .*max_batch_sizee/,
    )
    expect(server.state).toBe('stopped')
    await expect(server.infer('good', input())).rejects.toThrow()
  })

  test('what is found after parsing has its place in the file too', async () => {
    const files = { 'a/config.pbtxt': config().replace('dims: 2', 'dims: 0'), 'a/1/': '' }
    await expect(started(files)).rejects.toThrow(
      /^failed to load all models\n'a': .*config\.pbtxt:3:43: input\[0\]\.dims.*: model input 'IN' dimension must be integer >= 1/,
    )
  })

  test('exitOnError: false serves the rest, and strict readiness says no', async () => {
    const files = {
      'bad/config.pbtxt': config().replace('identity', 'nope'),
      'bad/1/': '',
      'good/config.pbtxt': config(),
      'good/1/': '',
    }
    const server = await started(files, { exitOnError: false })
    expect(await server.infer('good', input())).toHaveProperty('OUT')
    expect(await server.isReady()).toBe(false)
    expect(await server.index()).toEqual([
      {
        name: 'bad',
        version: '1',
        state: 'UNAVAILABLE',
        reason:
          "Invalid argument: unable to find backend library for backend 'nope', try specifying runtime on the model configuration.",
      },
      { name: 'good', version: '1', state: 'READY' },
    ])
    expect(await server.index({ ready: true })).toHaveLength(1)
  })

  test('version policies choose what is served', async () => {
    const versions = { 'a/1/': '', 'a/2/': '', 'a/10/': '' }
    const latest = await started({ ...versions, 'a/config.pbtxt': config() })
    expect(latest.model('a').metadata().versions).toEqual(['10'])
    const specific = await started({
      ...versions,
      'a/config.pbtxt': config('version_policy: { specific: { versions: [1, 2] } }'),
    })
    expect(specific.model('a').metadata().versions).toEqual(['1', '2'])
    expect(specific.model('a').version).toBe(2)
    expect(specific.model('a', 1).metadata().versions).toEqual(['1'])
  })

  test('explicit control: load, unchanged load, override, unload', async () => {
    const backend = manualBackend('identity')
    const server = await started(
      { 'a/config.pbtxt': config(), 'a/1/': '' },
      { modelControl: 'explicit', backends: [backend] },
    )
    expect(await server.index()).toEqual([{ name: 'a' }])
    expect(await server.isReady()).toBe(true)
    await server.load('a')
    await server.load('a')
    expect(backend.log).toEqual(['model a 1', 'instance a_0'])
    await server.load('a', { config: { backend: 'identity', maxBatchSize: 2 } })
    expect(server.model('a').config.maxBatchSize).toBe(2)
    await server.unload('a')
    expect(await server.index()).toEqual([{ name: 'a', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' }])
    await expect(server.infer('a', input())).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'a' has no available versions",
    })
    expect(await server.isReady()).toBe(true)
    await server.unload('never-heard-of')
  })

  test('a failed reload keeps what serves', async () => {
    const server = await started(
      { 'a/config.pbtxt': config(), 'a/1/': '' },
      { modelControl: 'explicit', loadModels: ['*'] },
    )
    await expect(server.load('a', { config: '{ "backend": "nope" }' })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message:
        "load failed for model 'a': version 1 is at UNAVAILABLE state: Invalid argument: unable to find backend library for backend 'nope', try specifying runtime on the model configuration.;\n",
    })
    await expect(server.load('a', { config: '{' })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: "failed to load 'a', failed to poll from model repository",
      cause: { message: expect.stringMatching(/^Invalid config override: /) },
    })
    expect(await server.infer('a', input())).toHaveProperty('OUT')
  })

  test('requests in flight finish on the version they started on', async () => {
    const { server, backend } = await withManual('', { modelControl: 'explicit', loadModels: ['m'] })
    const old = server.infer('m', input())
    const { requests, finish } = await backend.next()
    await server.unload('m')
    expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'UNLOADING' }])
    requests[0]?.respond(answer)
    finish()
    expect(await old).toHaveProperty('OUT')
    await Promise.resolve()
    expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' }])
  })

  test('files instead of a directory', async () => {
    const server = await started({}, { modelControl: 'explicit' })
    const files = { '5/model.bin': new Uint8Array([1]) }
    await expect(server.load('new', { files })).rejects.toThrow(
      "failed to load 'new', failed to poll from model repository",
    )
    await expect(server.load('new', { files: { '../x': new Uint8Array() }, config: '{}' })).rejects.toMatchObject({
      cause: {
        message: "Invalid file parameter 'file:../x' with normalized path '../x' must stay within model directory.",
      },
    })
    await server.load('new', { files, config: '{ "backend": "identity" }' })
    expect(server.model('new').metadata().versions).toEqual(['5'])
  })

  test('the files of an override are removed with the model', async () => {
    const backend = echoBackend()
    let directory = ''
    const createModel = backend.createModel.bind(backend)
    const server = await started(
      {},
      {
        modelControl: 'explicit',
        backends: [
          {
            name: 'identity',
            createModel: (model) => {
              directory = model.directory
              return createModel(model)
            },
          },
        ],
      },
    )
    await server.load('new', { files: { '1/model.bin': new Uint8Array([1]) }, config: '{ "backend": "identity" }' })
    expect(existsSync(join(directory, '1/model.bin'))).toBe(true)
    await server.stop()
    expect(existsSync(directory)).toBe(false)
  })

  test.each(['', '..', 'a/b', '../a'])('the name %j is refused', async (name) => {
    const server = await started({}, { modelControl: 'explicit' })
    await expect(server.load(name)).rejects.toMatchObject({ code: 'INVALID_ARG' })
  })

  test('load and unload need explicit control', async () => {
    const server = await started({ 'a/config.pbtxt': config(), 'a/1/': '' })
    const text = 'explicit model load / unload is not allowed if polling is enabled'
    await expect(server.load('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', message: text })
    await expect(server.unload('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', message: text })
  })

  test('a model in two repositories is not served', async () => {
    const one = await repository({ 'a/config.pbtxt': config(), 'a/1/': '' })
    const two = await repository({ 'a/config.pbtxt': config(), 'a/1/': '', 'b/config.pbtxt': config(), 'b/1/': '' })
    const server = new Server({ modelRepository: [one.path, two.path], backends: [echoBackend()], exitOnError: false })
    cleanups.push(() => server.stop())
    await server.start()
    expect(await server.index()).toEqual([
      { name: 'a', state: 'UNAVAILABLE', reason: 'model appears in two or more repositories' },
      { name: 'b', version: '1', state: 'READY' },
    ])
  })

  test('a repository that is not there is named', async () => {
    await expect(Server.start({ modelRepository: '/nowhere/models' })).rejects.toThrow(
      "repository path is not a valid directory: '/nowhere/models'",
    )
  })

  test('readiness asks the instances', async () => {
    const { server, backend } = await withManual()
    expect(await server.model('m').isReady()).toBe(true)
    backend.ready = false
    expect(await server.model('m').isReady()).toBe(false)
    expect(await server.isReady()).toBe(false)
    expect(await server.model('nope').isReady()).toBe(false)
  })

  test('an aborted load is given up and gives back what it made', async () => {
    const abort = new AbortController()
    const backend = manualBackend()
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (model) => {
      abort.abort()
      const made = await createModel(model)
      return {
        ...made,
        createInstance: async ({ signal }) =>
          Promise.reject(new TritonError('CANCELLED', `aborted: ${signal.aborted}`)),
      }
    }
    const server = await started(
      { 'm/config.pbtxt': manual(), 'm/1/': '' },
      { backends: [backend], modelControl: 'explicit' },
    )
    await expect(server.load('m', { signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(backend.log).toEqual(['model m 1', 'dispose m 1'])
  })

  test('events tell what became of models', async () => {
    const { path } = await repository({ 'a/config.pbtxt': config(), 'a/1/': '', 'b/config.pbtxt': 'x', 'b/1/': '' })
    const server = new Server({ modelRepository: path, backends: [echoBackend()], exitOnError: false })
    const events: string[] = []
    server.on('modelReady', ({ name, version }) => events.push(`${name} ${version} ready`))
    server.on('modelUnavailable', ({ name, version }) => events.push(`${name} ${version} unavailable`))
    server.on('stateChange', (state) => events.push(state))
    await server.start()
    await server.stop()
    expect(events.sort()).toEqual([
      'a 1 ready',
      'a 1 unavailable',
      'b undefined unavailable',
      'exiting',
      'ready',
      'starting',
      'stopped',
    ])
  })
})

test('settings that are not acted on are named in the log', async () => {
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (_, message) => warnings.push(message) }
  await started(
    { 'a/config.pbtxt': config('dynamic_batching {} response_cache { enable: true }'), 'a/1/': '' },
    { logger },
  )
  expect(warnings).toEqual([
    "model 'a' sets what this version of triton-ts does not act on: response_cache: every request runs",
  ])
})

describe('stop', () => {
  test('waits for requests in flight, refuses new ones, disposes everything once', async () => {
    const { server, backend } = await withManual()
    const running = server.infer('m', input())
    const { requests, finish } = await backend.next()
    const stopping = server.stop()
    expect(server.isLive()).toBe(false)
    await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    requests[0]?.respond(answer)
    finish()
    await running
    await stopping
    expect(server.stop()).toBe(stopping)
    expect(backend.log).toEqual(['model m 1', 'instance m_0_0', 'dispose m_0_0', 'dispose m 1'])
  })

  test('after the exit timeout every caller has an answer', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('', { clock, exitTimeout: 5 })
    const running = server.infer('m', input())
    const waiting = server.infer('m', input())
    await backend.next()
    const stopping = server.stop()
    clock.advance(5000)
    await expect(stopping).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'Exit timeout expired. Exiting immediately.',
    })
    await expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('await using stops the server', async () => {
    const { path } = await repository({ 'a/config.pbtxt': config(), 'a/1/': '' })
    let kept: Server
    {
      await using server = await Server.start({ modelRepository: path, backends: [echoBackend()] })
      kept = server
      expect(server.state).toBe('ready')
    }
    expect(kept.state).toBe('stopped')
  })

  test('two servers with one backend value do not touch each other', async () => {
    const backend = echoBackend()
    const files = { 'a/config.pbtxt': config(), 'a/1/': '' }
    const [one, two] = await Promise.all([
      started(files, { backends: [backend] }),
      started(files, { backends: [backend] }),
    ])
    await one.infer('a', input())
    await one.stop()
    expect(await two.infer('a', input())).toHaveProperty('OUT')
    expect(two.statistics('a')[0]?.inferenceCount).toBe(1)
  })
})

describe('statistics', () => {
  test('counts and durations on a virtual clock', async () => {
    const clock = virtualClock(1000)
    const { server, backend } = await withManual('', { clock })
    const infer = server.infer('m', {
      IN: [
        [1, 2],
        [3, 4],
      ],
    })
    const { requests, finish } = await backend.next()
    clock.advance(2)
    requests[0]?.respond({ outputs: { OUT: tensor('FP32', [2, 2], new Float32Array(4)) } })
    finish()
    await infer
    const count = (ns: number) => ({ count: 1, ns })
    expect(server.statistics('m')).toEqual([
      {
        name: 'm',
        version: '1',
        lastInference: 1002,
        inferenceCount: 2,
        executionCount: 1,
        inferenceStats: {
          success: count(2e6),
          fail: { count: 0, ns: 0 },
          queue: count(0),
          computeInput: count(0),
          computeInfer: count(2e6),
          computeOutput: count(0),
          cacheHit: { count: 0, ns: 0 },
          cacheMiss: { count: 0, ns: 0 },
        },
        responseStats: {},
        batchStats: [{ batchSize: 2, computeInput: count(0), computeInfer: count(2e6), computeOutput: count(0) }],
        memoryUsage: [],
      },
    ])
    expect(server.metrics()).toContain('nv_inference_request_duration_us{model="m",version="1"} 2000\n')
    expect(server.metrics()).toContain('nv_inference_count{model="m",version="1"} 2\n')
  })

  test('a refused request is not counted', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('echo', {})).rejects.toThrow('expected 1 inputs but got 0')
    expect(server.statistics('echo')[0]?.inferenceStats.fail.count).toBe(0)
  })

  test('unknown models are refused', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    expect(() => server.statistics('nope')).toThrow("requested model 'nope' is not available")
    expect(() => server.statistics('echo', 9)).toThrow("requested model version is not available for model 'echo'")
  })

  test('metric tags become labels', async () => {
    const server = await started({ 'a/config.pbtxt': config('metric_tags { key: "team" value: "x\\"y" }'), 'a/1/': '' })
    expect(server.metrics()).toContain('nv_inference_count{_team="x\\"y",model="a",version="1"} 0')
  })
})

describe('model handles', () => {
  test('labels, configuration and metadata', async () => {
    const server = await started({
      'a/config.pbtxt': config().replace('name: "OUT"', 'name: "OUT" label_filename: "labels.txt"'),
      'a/labels.txt': 'cat\ndog\n',
      'a/1/': '',
    })
    const model = server.model('a')
    expect([model.classLabel('OUT', 0), model.classLabel('OUT', 1), model.classLabel('OUT', 2)]).toEqual([
      'cat',
      'dog',
      '',
    ])
    expect(model.metadata()).toEqual({
      name: 'a',
      versions: ['1'],
      platform: 'identity',
      inputs: [{ name: 'IN', datatype: 'FP32', shape: [-1, 2] }],
      outputs: [{ name: 'OUT', datatype: 'FP32', shape: [-1, 2] }],
    })
    expect(model.configJson()).toMatchObject({ name: 'a', backend: 'identity', max_batch_size: 4, runtime: '' })
  })

  test.each([
    ['label_filename: "none.txt"', /failed to open text file for read/],
    [
      'label_filename: "../labels.txt"',
      /label file path '\.\.\/labels\.txt' for output 'OUT' in model 'a' is outside model directory/,
    ],
  ])('%s fails the load', async (field, text) => {
    await expect(
      started({ 'a/config.pbtxt': config().replace('name: "OUT"', `name: "OUT" ${field}`), 'a/1/': '' }),
    ).rejects.toThrow(text)
  })
})

test.each<[ServerOptions, string]>([
  [{ loadModels: ['a'] }, "loadModels needs modelControl: 'explicit'"],
  [
    { loadModels: ['a', '*'], modelControl: 'explicit' },
    "Wildcard model name '*' must be the ONLY startup model if specified at all.",
  ],
  [{ exitTimeout: -1 }, 'exitTimeout must be 0 or more seconds, got -1'],
  [{ modelLoadThreadCount: 0 }, 'modelLoadThreadCount must be 1 or more, got 0'],
  [{ modelConfigName: '../x' }, 'modelConfigName must be a file name without spaces'],
  [{ backends: [echoBackend(), echoBackend()] }, "two backends are named 'identity'"],
])('options %j are refused', (options, text) => {
  expect(() => new Server(options)).toThrow(text)
})

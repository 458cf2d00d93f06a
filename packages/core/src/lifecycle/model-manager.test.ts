import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { echoBackend, type ManualBackend, manualBackend, modelRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { type Logger, Server, type ServerOptions, silentLogger, tensor } from '../index.ts'

const config = (more = '') => `backend: "manual" instance_group { kind: KIND_CPU count: 1 } ${more}
  input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`
const input = { IN: new Float32Array(2) }
const answer = { outputs: { OUT: tensor('FP32', [2], new Float32Array(2)) } }

const explicit = (path: string, options: ServerOptions = {}) =>
  new Server({ modelRepository: path, backends: [manualBackend()], modelControl: 'explicit', ...options })

/** A backend that says when it is opening a model, and waits for the test; it knows nothing of signals. */
function slowBackend(): { backend: ManualBackend; opening: Promise<void>; open: () => void } {
  const backend = manualBackend()
  const createModel = backend.createModel.bind(backend)
  let open!: () => void
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const opening = new Promise<void>((resolve) => {
    backend.createModel = async (model) => {
      resolve()
      await opened
      return createModel(model)
    }
  })
  return { backend, opening, open }
}

test.each([
  [undefined, 4],
  [2, 2],
])(
  'models load at the same time, with modelLoadThreadCount %s up to %d of them',
  async (modelLoadThreadCount, most) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const files = Object.fromEntries(
      names.flatMap((name) => [
        [`${name}/config.pbtxt`, config()],
        [`${name}/1/`, ''],
      ]),
    )
    await using repository = await modelRepository(files)
    const backend = manualBackend()
    const createModel = backend.createModel.bind(backend)
    const opening: (() => void)[] = []
    backend.createModel = async (context) => {
      await new Promise<void>((resolve) => opening.push(resolve))
      return createModel(context)
    }
    const server = new Server({ modelRepository: repository.path, backends: [backend], modelLoadThreadCount })
    const started = server.start()
    const counts: number[] = []
    for (let opened = 0; opened < names.length; ) {
      while (opening.length < Math.min(most, names.length - opened)) await setImmediate()
      await setImmediate()
      counts.push(opening.length)
      for (const open of opening.splice(0)) {
        open()
        opened++
      }
    }
    expect(counts).toEqual(most === 4 ? [4, 2] : [2, 2, 2])
    await started
    await server.stop()
  },
)

describe('loads of one model at the same time', () => {
  test('one that cannot be read does not take the other along', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
    await using server = explicit(repository.path)
    await server.start()
    const [bad, good] = await Promise.allSettled([server.load('m', { config: '{' }), server.load('m')])
    expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled'])
    expect(server.model('m').version).toBe(1)
    expect(await server.isReady()).toBe(true)
  })

  test('an unload that comes during a load has the last word', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '', 'x/config.pbtxt': '{{' })
    const { backend, opening, open } = slowBackend()
    await using server = explicit(repository.path, { backends: [backend] })
    await server.start()
    const loading = server.load('m')
    await opening
    const unloading = server.unload('m')
    open()
    await Promise.all([loading, unloading])
    expect(await server.index()).toContainEqual({ name: 'm', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' })
    await Promise.allSettled([server.load('x'), server.unload('x')])
    expect(await server.isReady()).toBe(true)
  })
})

test('a model without a version stays in the index, and is in the way of readiness until it is unloaded', async () => {
  await using repository = await modelRepository({ 'm/config.pbtxt': config() })
  await using server = explicit(repository.path)
  await server.start()
  await expect(server.load('m')).rejects.toThrow('at least one version must be available under the version policy')
  expect(await server.index()).toEqual([{ name: 'm' }])
  expect(await server.isReady()).toBe(false)
  await server.unload('m')
  expect(await server.isReady()).toBe(true)
})

test.each(['constructor', '__proto__', 'toString'])('a model may be named %s', async (name) => {
  await using repository = await modelRepository({ [`${name}/config.pbtxt`]: config(), [`${name}/1/`]: '' })
  await using server = await Server.start({ modelRepository: repository.path, backends: [manualBackend()] })
  expect(server.model(name).version).toBe(1)
})

test('a label file that is a link out of the model is refused', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'triton-ts-outside-'))
  await writeFile(join(outside, 'labels.txt'), 'secret')
  await using repository = await modelRepository({
    'm/config.pbtxt': config().replace('name: "OUT"', 'name: "OUT" label_filename: "labels.txt"'),
    'm/1/': '',
  })
  await symlink(join(outside, 'labels.txt'), join(repository.path, 'm/labels.txt'))
  await using server = explicit(repository.path)
  await server.start()
  await expect(server.load('m')).rejects.toThrow(
    "label file path 'labels.txt' for output 'OUT' in model 'm' is outside model directory",
  )
  await rm(outside, { recursive: true })
})

describe('a load that is given up', () => {
  test('gives back a model that comes up all the same', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
    const { backend, opening, open } = slowBackend()
    await using server = explicit(repository.path, { backends: [backend] })
    await server.start()
    const abort = new AbortController()
    const loading = server.load('m', { signal: abort.signal })
    await opening
    abort.abort()
    open()
    await expect(loading).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(backend.log).toEqual(['model m 1', 'instance m_0_0', 'dispose m_0_0', 'dispose m 1'])
  })

  test('by stop never serves', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
    const { backend, opening, open } = slowBackend()
    const server = new Server({ modelRepository: repository.path, backends: [backend] })
    const events: string[] = []
    server.on('modelReady', () => events.push('model ready'))
    server.on('stateChange', (state) => events.push(state))
    const starting = server.start()
    await opening
    const stopping = server.stop()
    open()
    await expect(starting).rejects.toThrow("'m': Server is stopping")
    await stopping
    expect(events).toEqual(['starting', 'exiting', 'stopped'])
    expect(backend.log.at(-1)).toBe('dispose m 1')
  })

  test('by the signal of start stops the server', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
    const server = new Server({ modelRepository: repository.path, backends: [manualBackend()], exitOnError: false })
    await expect(server.start({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(server.state).toBe('stopped')
  })
})

describe('stop', () => {
  test('refuses with the texts of Triton while requests finish, and after', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
    const backend = manualBackend()
    await using server = await Server.start({ modelRepository: repository.path, backends: [backend] })
    const running = server.infer('m', input)
    const { requests, finish } = await backend.next()
    const stopping = server.stop()
    await server.isReady()
    await expect(server.infer('m', input)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Server is stopping, scheduler for model has stopped accepting'),
    })
    requests[0]?.respond(answer)
    finish()
    await running
    await stopping
    await expect(server.infer('m', input)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'Server not ready' })
  })

  test('closes everything but inference and what describes the models while requests finish', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
    const backend = manualBackend()
    const server = explicit(repository.path, { backends: [backend], loadModels: ['m'] })
    await server.start()
    expect(await server.model('m').isReady()).toBe(true)
    const running = server.infer('m', input)
    const { requests, finish } = await backend.next()
    const stopping = server.stop()
    expect([server.state, server.isLive(), await server.isReady()]).toEqual(['exiting', false, false])
    expect(await server.model('m').isReady()).toBe(false)
    expect(server.model('m').metadata().versions).toEqual(['1'])
    expect(server.metrics()).toContain('nv_inference_count{model="m",version="1"} 0')
    const closed: (() => unknown)[] = [
      () => server.index(),
      () => server.load('m'),
      () => server.unload('m'),
      () => server.statistics(),
      () => server.statistics('m'),
    ]
    for (const call of closed) {
      const refused = expect((async () => call())()).rejects
      await refused.toMatchObject({ code: 'UNAVAILABLE', message: 'Server not ready' })
    }
    requests[0]?.respond(answer)
    finish()
    await running
    await stopping
  })

  test('may be called by a listener of its own event', async () => {
    const server = await Server.start({ backends: [echoBackend()] })
    let inner: Promise<void> | undefined
    server.on('stateChange', () => {
      inner ??= server.stop()
    })
    const outer = server.stop()
    await outer
    expect(inner).toBe(outer)
  })
})

test('what a listener throws is logged and changes nothing', async () => {
  await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
  const errors: string[] = []
  const logger: Logger = { ...silentLogger, error: (_, message) => errors.push(message) }
  const server = new Server({ modelRepository: repository.path, backends: [manualBackend()], logger })
  for (const event of ['modelReady', 'modelUnavailable', 'stateChange'] as const) {
    server.on(event, () => {
      throw new Error('not mine')
    })
  }
  await server.start()
  expect(server.state).toBe('ready')
  await server.stop()
  expect(server.state).toBe('stopped')
  expect(new Set(errors)).toEqual(
    new Set([
      "a listener of 'stateChange' threw",
      "a listener of 'modelReady' threw",
      "a listener of 'modelUnavailable' threw",
    ]),
  )
})

test('an instance that cannot say whether it is ready is not', async () => {
  await using repository = await modelRepository({ 'm/config.pbtxt': config(), 'm/1/': '' })
  const instance = { execute() {}, isReady: () => Promise.reject(new Error('lost')), async dispose() {} }
  const backend = manualBackend('manual', { createInstance: async () => instance })
  await using server = await Server.start({ modelRepository: repository.path, backends: [backend] })
  expect(await server.isReady()).toBe(false)
})

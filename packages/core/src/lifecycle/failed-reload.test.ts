import { setImmediate } from 'node:timers/promises'
import { type ManualBackend, manualBackend, type TemporaryRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, loaded } from '../fixtures/server-rig.ts'
import { type Logger, type Server, type ServerOptions, silentLogger, TritonError } from '../index.ts'

const groups = 'instance_group { kind: KIND_CPU count: 2 }'
const model = (more = '') => config(`${more} ${groups}`).replace('"identity"', '"manual"')
const warmUp = `model_warmup { name: "sample" batch_size: 1 inputs { key: "IN" value {
  data_type: TYPE_FP32 dims: 2 zero_data: true } } }`

/** What goes wrong with a model that is opened from now on; undefined: nothing. */
interface Trouble {
  model?: Error | undefined
  /** Of the second instance. */
  instance?: Error | undefined
}

function troubled(trouble: Trouble): ManualBackend & { tried: number } {
  const backend = Object.assign(manualBackend(), { tried: 0 })
  const createModel = backend.createModel.bind(backend)
  backend.createModel = async (context) => {
    backend.tried++
    if (trouble.model !== undefined) throw trouble.model
    const made = await createModel(context)
    const createInstance = made.createInstance.bind(made)
    made.createInstance = async (slot) => {
      if (slot.name === 'm_0_1' && trouble.instance !== undefined) throw trouble.instance
      return createInstance(slot)
    }
    return made
  }
  return backend
}

interface Rig {
  readonly server: Server
  readonly backend: ReturnType<typeof troubled>
  readonly files: TemporaryRepository
  readonly trouble: Trouble
  /** Texts of the log's errors. */
  readonly errors: string[]
  /** Writes another model file and configuration, and loads them. */
  reload(text?: string): Promise<void>
}

async function serve(options: ServerOptions = {}): Promise<Rig> {
  const trouble: Trouble = {}
  const backend = troubled(trouble)
  const errors: string[] = []
  const logger: Logger = { ...silentLogger, error: (_, message) => errors.push(message) }
  const original = { 'm/config.pbtxt': model(), 'm/1/model': '' }
  const { server, files } = await loaded(original, { backends: [backend], logger, ...options })
  return {
    server,
    backend,
    files,
    trouble,
    errors,
    async reload(text = model()) {
      await files.write({ 'm/config.pbtxt': text, 'm/1/model': String(Math.random()) })
      await server.load('m')
    },
  }
}

/** The version that was loaded first serves, and it alone is there. */
async function expectOldServes({ server, backend }: Rig): Promise<void> {
  const answered = server.infer('m', input())
  const { requests, finish } = await backend.next()
  for (const request of requests) request.respond(answer)
  finish()
  expect(await answered).toHaveProperty('OUT')
  expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'READY' }])
  expect(await server.isReady()).toBe(true)
  await setImmediate()
  const count = (start: string): number => backend.log.filter((line) => line.startsWith(start)).length
  expect(count('model m') - count('dispose m 1')).toBe(1)
  expect(count('instance m_') - count('dispose m_')).toBe(2)
}

const failed = (reason: string) => `load failed for model 'm': version 1 is at UNAVAILABLE state: ${reason};\n`
const logged = (reason: string) => expect.stringMatching(`^failed to load 'm' version 1: .*${reason}`)

describe('a reload that fails keeps the old version, and the call and the log say why', () => {
  test('when the configuration cannot be read', async () => {
    const rig = await serve()
    await expect(rig.reload('max_batch_sizee: 4')).rejects.toMatchObject({
      message: "failed to load 'm', failed to poll from model repository",
      cause: { message: expect.stringContaining('max_batch_sizee') },
    })
    expect(rig.errors).toEqual([expect.stringMatching("^Poll failed for model 'm': .*max_batch_sizee")])
    await expectOldServes(rig)
  })

  test('when the configuration is wrong', async () => {
    const rig = await serve()
    await expect(rig.reload(model('instance_group { kind: KIND_GPU }'))).rejects.toThrow('no GPUs are available')
    expect(rig.errors).toEqual([logged('no GPUs are available')])
    await expectOldServes(rig)
  })

  test('when the policy chooses no version', async () => {
    const rig = await serve()
    const none = 'at least one version must be available under the version policy'
    await expect(rig.reload(model('version_policy { specific { versions: 7 } }'))).rejects.toThrow(none)
    await expectOldServes(rig)
  })

  test.each(['model', 'instance'] as const)('when the %s cannot be made', async (what) => {
    const rig = await serve()
    rig.trouble[what] = new TritonError('UNAVAILABLE', 'out of memory')
    await expect(rig.reload()).rejects.toThrow(failed('Unavailable: out of memory'))
    expect(rig.errors).toEqual([logged('out of memory')])
    await expectOldServes(rig)
  })

  test('when a warm-up sample fails', async () => {
    const rig = await serve()
    const loading = expect(rig.reload(model(warmUp))).rejects.toThrow(
      failed("Invalid argument: failed to run warmup sample 'sample': too cold; "),
    )
    const [first, second] = [await rig.backend.next(), await rig.backend.next()]
    for (const request of first.requests) request.respond(answer)
    first.finish()
    second.fail(new Error('too cold'))
    await loading
    expect(rig.errors).toEqual([logged('too cold')])
    await expectOldServes(rig)
  })

  test('when its caller gives it up, also while it is being warmed up', async () => {
    const rig = await serve()
    const abort = new AbortController()
    await rig.files.write({ 'm/config.pbtxt': model(warmUp) })
    const loading = expect(rig.server.load('m', { signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    const samples = [await rig.backend.next(), await rig.backend.next()]
    abort.abort()
    for (const { requests, finish } of samples) {
      for (const request of requests) request.respond(answer)
      finish()
    }
    await loading
    await expectOldServes(rig)
  })
})

test('after a failure the next load of the same files tries again, and its success is a version of its own', async () => {
  const rig = await serve()
  rig.trouble.model = new Error('not yet')
  await expect(rig.reload()).rejects.toThrow('not yet')
  await expect(rig.server.load('m')).rejects.toThrow('not yet')
  rig.trouble.model = undefined
  await rig.server.load('m')
  await setImmediate()
  expect(rig.backend.tried).toBe(4)
  expect(rig.backend.log.slice(-3).sort()).toEqual(['dispose m 1', 'dispose m_0_0', 'dispose m_0_1'])
  await rig.server.load('m')
  expect(rig.backend.tried).toBe(4)
})

describe('modelLoadRetryCount', () => {
  test.each([0, 1, 3])(
    '%d: a reload is tried as often again, and each try gives back what it made',
    async (retries) => {
      const rig = await serve({ modelLoadRetryCount: retries })
      rig.trouble.instance = new Error('no room')
      await expect(rig.reload()).rejects.toThrow(failed('Internal: no room'))
      expect(rig.backend.tried).toBe(1 + 1 + retries)
      expect(rig.errors).toEqual([logged('no room')])
      await expectOldServes(rig)
    },
  )

  test('a reload whose caller has given it up is not tried again', async () => {
    const rig = await serve({ modelLoadRetryCount: 3 })
    const abort = new AbortController()
    rig.trouble.model = new Error('no room')
    const { createModel } = rig.backend
    rig.backend.createModel = (context) => {
      abort.abort()
      return createModel(context)
    }
    await rig.files.write({ 'm/1/model': 'changed' })
    await expect(rig.server.load('m', { signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(rig.backend.tried).toBe(2)
    await expectOldServes(rig)
  })
})

import { setImmediate } from 'node:timers/promises'
import { echoBackend, manualBackend, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import type { Backend, ModelContext } from './backend/backend.ts'
import type { BackendServer } from './backend/backend-server.ts'
import { inlineBackend } from './fixtures/inline-backend.ts'
import { answer, config, input, manual, repository, started } from './fixtures/server-rig.ts'
import {
  type InferenceResponse,
  type InferRequest,
  type LoadOptions,
  parseModelConfig,
  Server,
  type ServerOptions,
  type TritonError,
  tensor,
} from './index.ts'

const bls = (more = ''): string => config(more).replace('"identity"', '"bls"')

const override = (text: string): LoadOptions => ({ config: parseModelConfig(text).config })

const request = (more: Partial<InferRequest> = {}): InferRequest => ({
  inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array([1, 2])) }],
  ...more,
})

/** A backend whose models answer each request with the responses of `call`, asked of their Server. */
const calling = (call: (server: BackendServer) => AsyncIterable<InferenceResponse>): Backend =>
  inlineBackend('bls', ({ server }) => ({
    async execute([request]) {
      for await (const { outputs } of call(server)) request?.respond({ outputs })
    },
  }))

/** What the code of model `b` has, in a Server with further models. */
async function inside(
  files: Record<string, string> = {},
  options: ServerOptions = {},
): Promise<{ server: Server; nested: BackendServer }> {
  let nested: BackendServer | undefined
  const own = inlineBackend('bls', (context) => {
    nested = context.server
    return {}
  })
  const server = await started(
    { 'b/config.pbtxt': bls(), 'b/1/': '', ...files },
    { ...options, backends: [own, ...(options.backends ?? [echoBackend()])] },
  )
  if (nested === undefined) throw new Error('model b was not loaded')
  return { server, nested }
}

const one = { 'm/config.pbtxt': config(), 'm/1/': '' }

describe('a model that runs another', () => {
  test('gets the response of one that is not decoupled', async () => {
    const backend = calling((server) => server.stream('m', -1, request()))
    const server = await started(
      { 'b/config.pbtxt': bls(), 'b/1/': '', ...one },
      { backends: [backend, echoBackend()] },
    )
    const { OUT } = await server.infer('b', input())
    expect(OUT?.data).toEqual(new Float32Array([1, 2]))
  })

  test('gets every response of a decoupled one, then the end', async () => {
    const many = inlineBackend('many', () => ({
      execute([request]) {
        for (let i = 0; i < 3; i++) request?.respond(answer, { final: false })
        request?.end()
      },
    }))
    const decoupled = config('model_transaction_policy { decoupled: true }').replace('"identity"', '"many"')
    const { nested } = await inside({ 'm/config.pbtxt': decoupled, 'm/1/': '' }, { backends: [many] })
    const ids: string[] = []
    for await (const { id, modelName, modelVersion } of nested.stream('m', 1, request({ id: 'r' }))) {
      ids.push(`${modelName} ${modelVersion} ${id}`)
    }
    expect(ids).toEqual(['m 1 r', 'm 1 r', 'm 1 r'])
  })

  test('hears why its request is not taken', async () => {
    const { nested } = await inside(one)
    const text = (name: string, version: number, more?: Partial<InferRequest>) => {
      try {
        nested.stream(name, version, request(more))
        return 'taken'
      } catch (error) {
        return (error as TritonError).message
      }
    }
    expect(text('x', -1)).toBe("Request for unknown model: 'x' is not found")
    expect(text('m', 7)).toBe("Request for unknown model: 'm' version 7 is not found")
    expect(text('m', 1, { inputs: [] })).toContain('expected 1 inputs but got 0 inputs')
    expect(text('m', 1, { signal: AbortSignal.abort() })).toBe('the request was cancelled')
  })

  test('cancels by the signal of its request, and by leaving', async () => {
    const backend = manualBackend()
    const { nested } = await inside({ 'm/config.pbtxt': manual(), 'm/1/': '' }, { backends: [backend] })
    const caller = new AbortController()
    const waiting = nested.stream('m', 1, request({ signal: caller.signal })).next()
    const first = await backend.next()
    caller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(first.requests[0]?.isCancelled).toBe(true)
    first.finish()
    const left = nested.stream('m', 1, request())
    const second = await backend.next()
    await left.return?.()
    expect(second.requests[0]?.isCancelled).toBe(true)
    second.finish()
  })

  test('may be at its own load, where the other serves', async () => {
    const outputs: unknown[] = []
    const warm = async ({ server }: ModelContext) => {
      for await (const response of server.stream('m', -1, request())) outputs.push(response.outputs.OUT?.shape)
      return {}
    }
    const server = await started(
      { 'b/config.pbtxt': bls(), 'b/1/': '', ...one },
      { backends: [inlineBackend('bls', warm), echoBackend()], modelControl: 'explicit', loadModels: ['m'] },
    )
    await server.load('b')
    expect(outputs).toEqual([[1, 2]])
  })

  test('at its load does not wait for itself', async () => {
    const backend = inlineBackend('bls', ({ server }) => {
      server.stream('b', -1, request())
      return {}
    })
    const { path } = await repository({ 'b/config.pbtxt': bls(), 'b/1/': '' })
    await expect(Server.start({ modelRepository: path, backends: [backend] })).rejects.toThrow(
      "Request for unknown model: 'b' has no available versions",
    )
  })
})

describe('a model that asks', () => {
  test('which models are there', async () => {
    const { nested } = await inside(one)
    expect(await nested.isModelReady('m', -1)).toBe(true)
    expect(await nested.isModelReady('m', 2)).toBe(false)
    expect(await nested.isModelReady('x', -1)).toBe(false)
    expect(await nested.index({ ready: true })).toMatchObject([{ name: 'b' }, { name: 'm', version: '1' }])
    expect(nested.metadata().name).toBe('triton')
    expect(nested.statistics('m', -1)).toMatchObject([{ name: 'm', version: '1' }])
    expect(nested.statistics('', -1)).toHaveLength(2)
    expect(await nested.isReady()).toBe(true)
    expect(nested.metrics()).toContain('nv_inference_request_success{model="m",version="1"} 0')
  })

  test('what one is', async () => {
    const { nested } = await inside(one)
    const served = nested.model('m', -1)
    expect(served.version).toBe(1)
    expect(served.isDecoupled).toBe(false)
    expect(served.config.maxBatchSize).toBe(4)
    expect(served.configJson()).toMatchObject({ name: 'm', max_batch_size: 4, batch_input: [] })
    expect(served.metadata()).toMatchObject({ name: 'm', versions: ['1'], inputs: [{ name: 'IN', shape: [-1, 2] }] })
    expect(() => nested.model('m', 2)).toThrow("Request for unknown model: 'm' version 2 is not found")
  })
})

describe('a model that loads and unloads', () => {
  const explicit = { modelControl: 'explicit', loadModels: ['b'] } as const

  test('does so like an application', async () => {
    const { server, nested } = await inside(one, explicit)
    await nested.load('m')
    expect(await server.model('m').isReady()).toBe(true)
    await nested.unload('m', { unloadDependents: true })
    expect(await server.model('m').isReady()).toBe(false)
    await expect(nested.load('x')).rejects.toThrow("failed to load 'x', failed to poll from model repository")
    await nested.load('m', override(config('default_model_filename: "f"')))
    expect(nested.model('m', -1).config.defaultModelFilename).toBe('f')
  })

  test('needs explicit model control, too', async () => {
    const { nested } = await inside(one)
    await expect(nested.load('m')).rejects.toThrow('explicit model load / unload is not allowed')
    await expect(nested.unload('m')).rejects.toThrow('explicit model load / unload is not allowed')
  })

  test('may reload and unload itself while it serves', async () => {
    const { server, nested } = await inside({}, explicit)
    await nested.load('b', override(bls('default_model_filename: "f"')))
    expect(server.model('b').config.defaultModelFilename).toBe('f')
    await nested.unload('b')
    expect(await server.model('b').isReady()).toBe(false)
  })

  /** A Server, not loaded yet, whose model `a` loads `b` when it is loaded, and so on as `needs` says. */
  async function chain(needs: Record<string, string>, options: ServerOptions = {}): Promise<Server> {
    const backend = inlineBackend('bls', async ({ name, server, versionDirectory }) => {
      expect(versionDirectory.endsWith(`${name}/1`)).toBe(true)
      const other = needs[name]
      if (other?.startsWith('-')) await server.unload(other.slice(1))
      else if (other !== undefined) await server.load(other)
      return {}
    })
    const names = [...new Set([...Object.keys(needs), ...Object.values(needs)])].filter((name) => name[0] !== '-')
    const files = Object.fromEntries(
      names.flatMap((name) => [
        [`${name}/config.pbtxt`, bls()],
        [`${name}/1/`, ''],
      ]),
    )
    return started(files, { backends: [backend], modelControl: 'explicit', ...options })
  }

  test('at its own load has the others loaded before, even where one load at a time is allowed', async () => {
    const server = await chain({ a: 'b', b: 'c', x: 'c' }, { modelLoadThreadCount: 1 })
    await Promise.all([server.load('a'), server.load('x')])
    expect((await server.index({ ready: true })).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'x'])
  })

  test.each([
    ['itself', { a: 'a' }, "the load of model 'a' cannot wait for a load or unload of itself"],
    ['its own end', { a: '-a' }, "the load of model 'a' cannot wait for a load or unload of itself"],
    [
      'one that waits for it',
      { a: 'b', b: 'a' },
      "the load of model 'b' cannot wait for a load or unload of model 'a', which waits for model 'b'",
    ],
  ])('at its own load is refused to wait for %s', async (_, needs, text) => {
    const server = await chain(needs as Record<string, string>)
    await expect(server.load('a')).rejects.toThrow(text)
    expect(await server.index({ ready: true })).toEqual([])
  })

  test('is refused as well where two loads begin at the same time', async () => {
    const server = await chain({ a: 'b', b: 'a' })
    const results = await Promise.allSettled([server.load('a'), server.load('b')])
    expect(results.some(({ status }) => status === 'rejected')).toBe(true)
  })

  test('is refused where it only gets other instances', async () => {
    let own: BackendServer | undefined
    const backend = inlineBackend('bls', ({ server }) => {
      own = server
      return {
        model: {
          async createInstance({ group }) {
            if (group.count === 2) await own?.load('b')
            return { execute() {}, async dispose() {} }
          },
        },
      }
    })
    const groups = (count: number) => bls(`instance_group { kind: KIND_CPU count: ${count} }`)
    const server = await started({ 'b/config.pbtxt': groups(1), 'b/1/': '' }, { backends: [backend], ...explicit })
    await expect(server.load('b', override(groups(2)))).rejects.toThrow('cannot wait for a load or unload of itself')
    await server.load('b', override(groups(3)))
  })
})

describe('while the Server stops', () => {
  /** A request to `b`, which runs `m` as soon as the test lets it; `m` waits for the test. */
  async function stopping(options: ServerOptions = {}) {
    let go = (): void => {}
    const ready = new Promise<void>((resolve) => {
      go = resolve
    })
    const backend = manualBackend()
    const own = inlineBackend('bls', ({ server }) => ({
      async execute([request]) {
        await ready
        expect(await server.isModelReady('m', -1)).toBe(true)
        for await (const { outputs } of server.stream('m', -1, { inputs: [], rawInput: new Uint8Array(8) })) {
          request?.respond({ outputs })
        }
      },
    }))
    const server = await started(
      { 'b/config.pbtxt': bls(), 'b/1/': '', 'm/config.pbtxt': manual(), 'm/1/': '' },
      { ...options, backends: [own, backend] },
    )
    return { server, backend, go }
  }

  test('what requests in flight ask of other models runs; the models stay until then', async () => {
    const { server, backend, go } = await stopping()
    const answered = server.infer('b', input())
    const stop = server.stop()
    await setImmediate()
    expect(backend.log).not.toContain('dispose m 1')
    await expect(server.infer('m', input())).rejects.toThrow('Server is stopping')
    go()
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    finish()
    expect((await answered).OUT?.data).toEqual(new Float32Array([3, 4]))
    await stop
    expect(backend.log.at(-1)).toBe('dispose m 1')
  })

  test('nothing is taken any more when the time is up', async () => {
    const clock = virtualClock()
    const { nested, server } = await inside(
      { 'm/config.pbtxt': manual(), 'm/1/': '' },
      { backends: [manualBackend()], clock, exitTimeout: 1 },
    )
    const waiting = nested.stream('m', -1, request()).next()
    const stop = server.stop()
    clock.advance(1000)
    await expect(stop).rejects.toThrow('Exit timeout expired')
    await expect(waiting).rejects.toThrow('the exit timeout expired')
    expect(() => nested.stream('m', -1, request())).toThrow('Server not ready')
    expect(await nested.isModelReady('m', -1)).toBe(false)
  })

  test('a model that goes on by itself cannot hold the Server beyond its time', async () => {
    const clock = virtualClock()
    const { nested, server } = await inside(one, { clock, exitTimeout: 1 })
    let count = 0
    const forever = async (): Promise<void> => {
      for (;;) {
        for await (const _ of nested.stream('m', -1, request())) count++
        await setImmediate()
      }
    }
    const over = forever().catch((error: TritonError) => error.message)
    await server.stop()
    expect(await over).toBe('Server not ready')
    expect(count).toBeGreaterThan(0)
  })
})

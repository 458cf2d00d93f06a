import { manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import type { Backend, ExecutionRequest } from '../backend/backend.ts'
import type { BackendServer } from '../backend/backend-server.ts'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { answer, config, input, manual, started } from '../fixtures/server-rig.ts'
import type { Server, TritonError } from '../index.ts'
import { maxNestedDepth } from './nesting.ts'

type Call = (request: ExecutionRequest, server: BackendServer) => Promise<unknown>

/** Models that do what `calls` says of them, and then answer. */
const calling = (calls: Record<string, Call>): Backend =>
  inlineBackend('bls', ({ name, server }) => ({
    async execute(requests) {
      for (const request of requests) {
        try {
          await calls[name]?.(request, server)
          request.respond(answer)
        } catch (error) {
          request.fail(error as TritonError)
        }
      }
    },
  }))

/** A Server with a model for each name, which has so many instances. */
function served(instances: Record<string, number>, calls: Record<string, Call>): Promise<Server> {
  const model = (count: number): string =>
    config(`instance_group { kind: KIND_CPU count: ${count} }`).replace('"identity"', '"bls"')
  const files = Object.entries(instances).flatMap(([name, count]) => [
    [`${name}/config.pbtxt`, model(count)],
    [`${name}/1/`, ''],
  ])
  return started(Object.fromEntries(files), { backends: [calling(calls)] })
}

/** Asks another model in the service of the request. */
const ask =
  (model: string): Call =>
  (parent, server) =>
    server.infer(model, -1, { inputs: inputsOf(parent), parent })

/** Does it for the first request alone. */
const onlyFirst = (call: Call): Call => {
  let isFirst = true
  return async (parent, server) => {
    if (isFirst) {
      isFirst = false
      await call(parent, server)
    }
  }
}

const inputsOf = ({ inputs }: ExecutionRequest) => [...inputs].map(([name, tensor]) => ({ name, tensor }))

describe('requests that would wait for each other', () => {
  test('of a model that calls itself', async () => {
    const server = await served({ a: 1 }, { a: ask('a') })
    await expect(server.infer('a', input())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        "request to model 'a' would wait for ever: its only instance runs what waits for requests like this one (a → a); " +
        "give 'a' more instances in instance_group, or do not call it from there",
    })
    await expect(server.infer('a', input())).rejects.toThrow('would wait for ever')
  })

  test('of one sequence, or of a model that keeps the order of its answers, whichever instances are idle', async () => {
    const model = (more: string): string =>
      config(`instance_group { kind: KIND_CPU count: 2 } ${more}`).replace('"identity"', '"bls"')
    const again: Call = (parent, server) =>
      server.infer(parent.id, -1, { inputs: inputsOf(parent), parent, correlationId: parent.correlationId })
    const files = {
      's/config.pbtxt': model('sequence_batching {}'),
      's/1/': '',
      'o/config.pbtxt': model('dynamic_batching { preserve_ordering: true }'),
      'o/1/': '',
    }
    const server = await started(files, { backends: [calling({ s: onlyFirst(again), o: onlyFirst(again) })] })
    const sequence = { id: 's', correlationId: 7, sequenceStart: true }
    await expect(server.infer('s', input(), sequence)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        "request to model 's' would wait for ever: it comes after a request of its sequence '7' that waits for it (s → s)",
    })
    await expect(server.infer('o', input(), { id: 'o' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        "request to model 'o' would wait for ever: preserve_ordering answers it after a request that waits for it (o → o)",
    })
    expect(await server.infer('s', input(), sequence)).toEqual(answer.outputs)
    expect(await server.infer('o', input())).toEqual(answer.outputs)
  })

  test('over other models', async () => {
    const server = await served({ a: 1, b: 2, c: 1 }, { a: ask('b'), b: ask('c'), c: ask('a') })
    await expect(server.infer('a', input())).rejects.toThrow('(a → b → c → a)')
  })

  test('of callers who know nothing of each other', async () => {
    const gate = deferred()
    const outermost =
      (call: Call): Call =>
      async (request, server) => {
        await gate.promise
        return request.id === 'outermost' ? call(request, server) : undefined
      }
    const server = await served({ a: 1, b: 1 }, { a: outermost(ask('b')), b: outermost(ask('a')) })
    const both = ['a', 'b'].map((name) => server.infer(name, input(), { id: 'outermost' }))
    gate.resolve()
    const results = await Promise.allSettled(both)
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('of a model that keeps the order of its answers: nobody waits for the one that was refused', async () => {
    const gate = deferred()
    const outermost =
      (model: string): Call =>
      async (request, server) => {
        await gate.promise
        return request.id === 'outermost' ? ask(model)(request, server) : undefined
      }
    const model = (more = ''): string =>
      config(`instance_group { kind: KIND_CPU count: 1 } ${more}`).replace('"identity"', '"bls"')
    const files = {
      'a/config.pbtxt': model(),
      'a/1/': '',
      'b/config.pbtxt': model('dynamic_batching { preserve_ordering: true }'),
      'b/1/': '',
    }
    const server = await started(files, { backends: [calling({ a: outermost('b'), b: outermost('a') })] })
    const [b, a] = ['b', 'a'].map((name) => server.infer(name, input(), { id: 'outermost' }))
    gate.resolve()
    await expect(a).rejects.toThrow('would wait for ever')
    expect(await b).toEqual(answer.outputs)
    expect(await server.infer('b', input())).toEqual(answer.outputs)
  })

  test('is nobody where an instance is left, or will be', async () => {
    let depth = 0
    const twice: Call = (request, server) => (depth++ === 0 ? ask('a')(request, server) : Promise.resolve())
    const server = await served({ a: 2 }, { a: twice })
    expect(await server.infer('a', input())).toHaveProperty('OUT')

    const busy = manualBackend()
    const asking = calling({ a: ask('m') })
    const files = { 'a/config.pbtxt': config().replace('"identity"', '"bls"'), 'a/1/': '' }
    const other = await started({ ...files, 'm/config.pbtxt': manual(), 'm/1/': '' }, { backends: [asking, busy] })
    const first = other.infer('m', input())
    const second = other.infer('a', input())
    for (let i = 0; i < 2; i++) {
      const { requests, finish } = await busy.next()
      requests[0]?.respond(answer)
      finish()
    }
    expect(await Promise.all([first, second])).toHaveLength(2)
  })
})

describe('a nested request', () => {
  /** Model `a`, which asks `m`, which waits for the test. */
  async function nested(call: Call = ask('m')) {
    const backend = manualBackend()
    const files = { 'a/config.pbtxt': config().replace('"identity"', '"bls"'), 'a/1/': '' }
    const server = await started(
      { ...files, 'm/config.pbtxt': manual(), 'm/1/': '' },
      { backends: [calling({ a: call }), backend] },
    )
    return { server, backend }
  }

  test('is cancelled with the one that it serves', async () => {
    const { server, backend } = await nested()
    const caller = new AbortController()
    const answered = server.infer('a', input(), { signal: caller.signal })
    const { requests, finish } = await backend.next()
    caller.abort()
    expect(requests[0]?.isCancelled).toBe(true)
    await expect(answered).rejects.toMatchObject({ code: 'CANCELLED' })
    finish()
  })

  test('of a batch is cancelled with the last that it serves', async () => {
    const backend = manualBackend()
    const batches = inlineBackend('bls', ({ server: engine }) => ({
      async execute(requests) {
        const [first] = requests
        if (first === undefined) return
        await engine
          .infer('m', -1, { inputs: inputsOf(first), parent: first, servesBatch: true })
          .catch((error: TritonError) => error)
        for (const request of requests) request.respond(answer)
      },
    }))
    const batching = 'dynamic_batching { preferred_batch_size: 2 max_queue_delay_microseconds: 60000000 }'
    const server = await started(
      {
        'a/config.pbtxt': config(`${batching} instance_group { kind: KIND_CPU count: 1 }`).replace(
          '"identity"',
          '"bls"',
        ),
        'a/1/': '',
        'm/config.pbtxt': manual(),
        'm/1/': '',
      },
      { backends: [batches, backend] },
    )
    const callers = [new AbortController(), new AbortController()]
    const answered = callers.map(({ signal }) =>
      server.infer('a', input(), { signal, timeoutMicroseconds: 60_000_000 }).catch(({ code }) => code),
    )
    const { requests, finish } = await backend.next()
    expect(requests[0]?.timeoutMicroseconds).toBe(0)
    callers[0]?.abort()
    expect(requests[0]?.isCancelled).toBe(false)
    callers[1]?.abort()
    expect(requests[0]?.isCancelled).toBe(true)
    expect(await Promise.all(answered)).toEqual(['CANCELLED', 'CANCELLED'])
    finish()
  })

  test('is not taken for one that was given up', async () => {
    let heard: unknown
    const gate = deferred()
    const { server } = await nested(async (parent, engine) => {
      await gate.promise
      heard = await ask('m')(parent, engine).catch((error: TritonError) => error.message)
    })
    const caller = new AbortController()
    const answered = server.infer('a', input(), { signal: caller.signal })
    caller.abort()
    gate.resolve()
    await expect(answered).rejects.toMatchObject({ code: 'CANCELLED' })
    await server.stop()
    expect(heard).toBe('the request that this one serves was cancelled')
  })

  test('has what is left of the time of the one that it serves, or its own', async () => {
    const { server, backend } = await nested(async (parent, engine) => {
      await ask('m')(parent, engine)
      await engine.infer('m', -1, { inputs: inputsOf(parent), parent, timeoutMicroseconds: 7 })
    })
    const answered = server.infer('a', input(), { timeoutMicroseconds: 60_000_000 })
    const times: number[] = []
    for (let i = 0; i < 2; i++) {
      const { requests, finish } = await backend.next()
      times.push(requests[0]?.timeoutMicroseconds ?? 0)
      requests[0]?.respond(answer)
      finish()
    }
    await answered
    expect(times[0]).toBeGreaterThan(0)
    expect(times[0]).toBeLessThanOrEqual(60_000_000)
    expect(times[1]).toBe(7)
  })

  test('is refused at some depth', async () => {
    let deepest = 0
    const down: Call = (request, server) => {
      deepest++
      return ask('a')(request, server)
    }
    const server = await served({ a: maxNestedDepth + 2 }, { a: down })
    await expect(server.infer('a', input())).rejects.toThrow(
      `request to model 'a' is nested deeper than ${maxNestedDepth} requests (... a → a → a → a): a model that calls itself has to stop at some depth`,
    )
    expect(deepest).toBe(maxNestedDepth + 1)
  })

  test('of a decoupled model is asked for as a stream', async () => {
    const decoupled = config('model_transaction_policy { decoupled: true }')
    const backend = calling({ a: ask('m') })
    const files = { 'a/config.pbtxt': config().replace('"identity"', '"bls"'), 'a/1/': '' }
    const server = await started(
      { ...files, 'm/config.pbtxt': decoupled.replace('"identity"', '"bls"'), 'm/1/': '' },
      { backends: [backend] },
    )
    await expect(server.infer('a', input())).rejects.toThrow("model 'm' is decoupled")
  })
})

function deferred() {
  let resolve!: () => void
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

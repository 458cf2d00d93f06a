import { setImmediate } from 'node:timers/promises'
import { type Execution, echoBackend, type ManualBackend, manualBackend, virtualClock } from '@triton-ts/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer, cleanUp, config, input, repository, started } from '../fixtures/server-rig.ts'
import { Server, type ServerOptions } from '../index.ts'

const group = (resources: string, more = '') =>
  `{ kind: KIND_CPU count: 1 ${more} rate_limiter { ${resources.replaceAll(/(\w+):(\d+)/g, 'resources { name: "$1" count: $2 }')} } }`

const model = (groups: readonly string[], more = '') =>
  config(`instance_group [ ${groups.join(', ')} ] ${more}`).replace('"identity"', '"manual"')

/** Two models of which one at a time has what it needs. */
const models = {
  'a/config.pbtxt': model([group('resource1:4')]),
  'a/1/': '',
  'b/config.pbtxt': model([group('resource1:2 priority: 2 resources { name: "resource2" global: true count: 2 }')]),
  'b/1/': '',
}

const limited = (...rateLimitResources: NonNullable<ServerOptions['rateLimitResources']>): ServerOptions => ({
  rateLimit: 'execution_count',
  rateLimitResources,
})

async function serve(
  files: Readonly<Record<string, string>>,
  options: ServerOptions,
): Promise<{ server: Server; backend: ManualBackend }> {
  const backend = manualBackend()
  return { server: await started(files, { backends: [backend], ...options }), backend }
}

function finish({ requests, finish }: Execution): Promise<void> {
  for (const request of requests) request.respond(answer)
  finish()
  return setImmediate()
}

/** As many executions as there are now. */
async function taken(backend: ManualBackend): Promise<Execution[]> {
  await setImmediate()
  return Promise.all(Array.from({ length: backend.waiting }, () => backend.next()))
}

/** Resolves when the backend is asked for this instance. */
function asked(backend: ManualBackend, name: string): Promise<void> {
  const createModel = backend.createModel.bind(backend)
  return new Promise((resolve) => {
    backend.createModel = async (context) => {
      const made = await createModel(context)
      const createInstance = made.createInstance.bind(made)
      made.createInstance = (slot) => {
        if (slot.name === name) resolve()
        return createInstance(slot)
      }
      return made
    }
  })
}

const names = (executions: readonly Execution[]) => executions.map(({ instance }) => instance)

/** Models that are asked all the time, eight requests at a time each, until so many runs are through; runs by model. */
async function load(server: Server, backend: ManualBackend, names: readonly string[], runs: number) {
  let over = false
  const client = async (name: string): Promise<void> => {
    while (!over) await server.infer(name, input())
  }
  const clients = names.flatMap((name) => Array.from({ length: 8 }, () => client(name)))
  const counts = new Map<string, number>()
  let most = 0
  for (let run = 0; run < runs; ) {
    const running = await taken(backend)
    expect(running.length).toBeGreaterThan(0)
    most = Math.max(most, running.length)
    for (const execution of running) {
      const [name = ''] = execution.instance.split('_')
      counts.set(name, (counts.get(name) ?? 0) + 1)
      run++
      await finish(execution)
    }
  }
  over = true
  let rest = await taken(backend)
  while (rest.length > 0) {
    for (const execution of rest) await finish(execution)
    rest = await taken(backend)
  }
  await Promise.all(clients)
  return { counts, most }
}

describe('models that could never run do not load', () => {
  test.each([
    ['too few', limited({ name: 'resource1', count: 1 }), 'limited to 1 which'],
    [
      'enough for one model only',
      limited({ name: 'resource1', count: 3 }, { name: 'resource2', count: 2 }),
      'limited to 3 which',
    ],
    [
      'on another device',
      limited({ name: 'resource1', count: 10, device: 10 }, { name: 'resource2', count: 2 }),
      'limited to 0 which',
    ],
  ])('%s', async (_, options, text) => {
    const { path } = await repository(models)
    const server = new Server({ modelRepository: path, backends: [manualBackend()], ...options })
    await expect(server.start()).rejects.toThrow(
      `Resource count for "resource1" is ${text} will prevent scheduling of one or more model ` +
        'instances, the minimum required count is 4',
    )
  })

  test('global and of a device', async () => {
    const { path } = await repository({ ...models, 'c/config.pbtxt': model([group('resource2:1')]), 'c/1/': '' })
    const backend = manualBackend()
    const server = new Server({ modelRepository: path, backends: [backend], modelControl: 'explicit', ...limited() })
    await server.start()
    await server.load('b')
    await expect(server.load('c')).rejects.toThrow(
      'Resource "resource2" is present as both global and device-specific resource in the model configuration.',
    )
    expect(backend.log.filter((line) => line.includes('c_0'))).toEqual([])
    await server.unload('b')
    await server.load('c')
    await server.stop()
  })
})

describe('models at the same time', () => {
  test.each([
    ['explicit', limited({ name: 'resource1', count: 4 }, { name: 'resource2', count: 2 })],
    ['implicit', limited()],
  ])('with %s resources for one, priority 2 has half the turns of priority 1', async (_, options) => {
    const { server, backend } = await serve(models, options)
    const { counts, most } = await load(server, backend, ['a', 'b'], 150)
    expect(most).toBe(1)
    expect(counts.get('a')! / counts.get('b')!).toBeCloseTo(2, 1)
  })

  test('with resources for both, both run as often as they can', async () => {
    const { server, backend } = await serve(
      models,
      limited({ name: 'resource1', count: 6 }, { name: 'resource2', count: 2 }),
    )
    const { counts, most } = await load(server, backend, ['a', 'b'], 150)
    expect(most).toBe(2)
    expect(Math.abs(counts.get('a')! - counts.get('b')!)).toBeLessThanOrEqual(1)
  })

  test('without a rate limiter resources and priorities are nothing', async () => {
    const { server, backend } = await serve(models, { rateLimitResources: [{ name: 'resource1', count: 0 }] })
    const { counts, most } = await load(server, backend, ['a', 'b'], 150)
    expect(most).toBe(2)
    expect(Math.abs(counts.get('a')! - counts.get('b')!)).toBeLessThanOrEqual(1)
  })

  test('two Servers do not wait for each other', async () => {
    const backend = manualBackend()
    const [one, two] = [
      await started(models, { backends: [backend], ...limited() }),
      await started(models, { backends: [backend], ...limited() }),
    ]
    const answers = [one, two].map((server) => server.infer('a', input()))
    const running = await taken(backend)
    expect(running.length).toBe(2)
    for (const execution of running) await finish(execution)
    await Promise.all(answers)
  })
})

describe('instances of one model', () => {
  const two = {
    'a/config.pbtxt': model([
      group('resource1:4'),
      group('resource1:2 priority: 2 resources { name: "resource2" global: true count: 2 }'),
    ]),
    'a/1/': '',
  }

  test.each([
    ['the larger alone', limited(), 1],
    ['both', limited({ name: 'resource1', count: 6 }, { name: 'resource2', count: 2 }), 2],
  ])('run as resources allow: %s', async (_, options, expected) => {
    const { server, backend } = await serve(two, options)
    const { most } = await load(server, backend, ['a'], 50)
    expect(most).toBe(expected)
    expect(server.statistics('a')[0]?.inferenceStats.success.count).toBeGreaterThanOrEqual(50)
  })

  test('do not load where one of them could never run', async () => {
    const { path } = await repository(two)
    const options = limited({ name: 'resource1', count: 3 }, { name: 'resource2', count: 2 })
    const backend = manualBackend()
    const server = new Server({ modelRepository: path, backends: [backend], ...options })
    await expect(server.start()).rejects.toThrow('Resource count for "resource1" is limited to 3 which')
    expect(backend.log).toEqual(['model a 1', 'instance a_1_0', 'dispose a_1_0', 'dispose a 1'])
  })

  test('a batch grows while the free instance waits for its turn', async () => {
    const batching = 'dynamic_batching { preferred_batch_size: [ 1, 2, 3, 4 ] max_queue_delay_microseconds: 5000000 }'
    const files = { 'a/config.pbtxt': `${two['a/config.pbtxt']} ${batching}`, 'a/1/': '' }
    const { server, backend } = await serve(files, { ...limited(), clock: virtualClock() })
    const answers = Array.from({ length: 9 }, () => server.infer('a', input()))
    const sizes: number[] = []
    while (sizes.length < 3) {
      const execution = await backend.next()
      sizes.push(execution.requests.length)
      await finish(execution)
    }
    expect(sizes).toEqual([1, 4, 4])
    await Promise.all(answers)
  })
})

describe.each([
  ['direct', 'sequence_batching { direct {} }'],
  ['oldest', 'sequence_batching { oldest { max_candidate_sequences: 4 } }'],
])('%s sequences', (_, sequences) => {
  test('stay on their instance, and instances run in turn', async () => {
    const files = { 'a/config.pbtxt': model([group('R:1'), group('R:1')], sequences), 'a/1/': '' }
    const { server, backend } = await serve(files, { ...limited(), clock: virtualClock() })
    const answers: Promise<unknown>[] = []
    for (let step = 0; step < 9; step++) {
      for (const correlationId of [1, 2, 3, 4, 5]) {
        const flags = { sequenceStart: step === 0, sequenceEnd: step === 8 }
        answers.push(server.infer('a', input(), { correlationId, ...flags }))
      }
    }
    const places = new Map<bigint | string, Set<string>>()
    for (let running = await taken(backend); running.length > 0; running = await taken(backend)) {
      expect(running.length).toBe(1)
      for (const execution of running) {
        for (const { correlationId } of execution.requests) {
          places.set(correlationId, (places.get(correlationId) ?? new Set()).add(execution.instance))
        }
        await finish(execution)
      }
    }
    await Promise.all(answers)
    for (const id of [1n, 2n, 3n, 4n, 5n]) expect(places.get(id)?.size).toBe(1)
    expect(server.statistics('a')[0]?.inferenceStats.success.count).toBe(45)
  })
})

describe('a turn that nobody wants any more', () => {
  const files = { ...models, 'c/config.pbtxt': model([group('resource1:4')]), 'c/1/': '' }

  test('goes to others when the request is cancelled', async () => {
    const { server, backend } = await serve(files, limited())
    const running = server.infer('a', input())
    const abort = new AbortController()
    const cancelled = server.infer('c', input(), { signal: abort.signal })
    const waiting = server.infer('b', input())
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    await finish(await backend.next())
    const next = await backend.next()
    expect(next.instance).toBe('b_0_0')
    await finish(next)
    await Promise.all([running, waiting])
  })

  test('goes to others when the batch waits for more requests', async () => {
    const clock = virtualClock()
    const batching = 'dynamic_batching { preferred_batch_size: 2 max_queue_delay_microseconds: 1000 }'
    const batched = { ...files, 'c/config.pbtxt': model([group('resource1:4')], batching) }
    const { server, backend } = await serve(batched, { ...limited(), clock })
    const first = server.infer('a', input())
    const abort = new AbortController()
    const cancelled = server.infer('c', input(), { signal: abort.signal })
    const alone = server.infer('c', input())
    const other = server.infer('b', input())
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    await finish(await backend.next())
    const next = await backend.next()
    expect(next.instance).toBe('b_0_0')
    clock.advance(1)
    await finish(next)
    await finish(await backend.next())
    await Promise.all([first, alone, other])
  })
})

test('a model warms up when it is its turn', async () => {
  const warmUp =
    'model_warmup { name: "s" batch_size: 1 inputs { key: "IN" value: { data_type: TYPE_FP32 dims: 2 zero_data: true } } }'
  const files = { ...models, 'c/config.pbtxt': model([group('resource1:4')], warmUp), 'c/1/': '' }
  const { server, backend } = await serve(files, { ...limited(), modelControl: 'explicit', loadModels: ['a'] })
  const answered = server.infer('a', input())
  const [running] = await taken(backend)
  const instance = asked(backend, 'c_0_0')
  const loading = server.load('c')
  await instance
  expect(names(await taken(backend))).toEqual([])
  await finish(running!)
  const warming = await backend.next()
  expect(warming.instance).toBe('c_0_0')
  await finish(warming)
  await Promise.all([answered, loading])
})

test('many instances that wait for their turn are no reason for a warning of Node', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  cleanUp(async () => process.off('warning', note))
  const files = { 'a/config.pbtxt': model([group('R:1').replace('count: 1', 'count: 20')]), 'a/1/': '' }
  const { backend } = await serve(files, limited())
  await setImmediate()
  expect(backend.log.filter((line) => line.startsWith('instance')).length).toBe(20)
  expect(warnings).toEqual([])
})

test('a load that is given up while it waits for its turn leaves nothing behind', async () => {
  const files = { ...models, 'c/config.pbtxt': model([group('resource1:4')]), 'c/1/': '' }
  const { server, backend } = await serve(files, { ...limited(), modelControl: 'explicit', loadModels: ['a'] })
  const answers = [server.infer('a', input()), server.infer('a', input())]
  const [running] = await taken(backend)
  const abort = new AbortController()
  const instance = asked(backend, 'c_0_0')
  const loading = server.load('c', { signal: abort.signal })
  await instance
  await setImmediate()
  abort.abort()
  await expect(loading).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(backend.log.slice(-2)).toEqual(['dispose c_0_0', 'dispose c 1'])
  await finish(running!)
  await finish(await backend.next())
  await Promise.all(answers)
})

test('a backend that never waits takes turns too', async () => {
  const backend = echoBackend('manual')
  const server = await started(models, { backends: [backend], ...limited() })
  await Promise.all(['a', 'b', 'a', 'b'].map((name) => server.infer(name, input())))
  expect(backend.batches.map(({ instance }) => instance)).toEqual(['a_0_0', 'b_0_0', 'a_0_0', 'b_0_0'])
})

test('whatever comes and goes, no resource is over-committed and every request has its answer', async () => {
  const demands = { a: 3, b: 2, c: 1 } as const
  const files = Object.fromEntries(
    Object.entries(demands).flatMap(([name, count], i) => {
      const batching = ['', 'dynamic_batching {}', 'dynamic_batching { max_queue_delay_microseconds: 1000 }'][i]
      const groups = [group(`R:${count}`), group(`R:${count} priority: 2`)]
      return [
        [`${name}/config.pbtxt`, model(groups, batching)],
        [`${name}/1/`, ''],
      ]
    }),
  )
  const step = fc.record({
    model: fc.constantFrom('a', 'b', 'c'),
    action: fc.constantFrom('send', 'send', 'cancel', 'finish', 'advance'),
    which: fc.nat(8),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 3, max: 6 }), async (steps, count) => {
      const backend = manualBackend()
      const clock = virtualClock()
      const server = await started(files, { backends: [backend], clock, ...limited({ name: 'R', count }) })
      const requests: { readonly abort: AbortController; readonly answered: Promise<unknown> }[] = []
      let running: Execution[] = []
      const look = async (): Promise<void> => {
        running.push(...(await taken(backend)))
        const used = running.map(({ instance }) => demands[instance[0] as keyof typeof demands])
        expect(used.reduce((sum, demand) => sum + demand, 0)).toBeLessThanOrEqual(count)
        expect(new Set(names(running)).size).toBe(running.length)
      }
      const end = async (which: number): Promise<void> => {
        const execution = running[which % running.length]
        if (execution === undefined) return
        running = running.filter((other) => other !== execution)
        await finish(execution)
      }
      for (const { model: name, action, which } of steps) {
        if (action === 'send') {
          const abort = new AbortController()
          const answered = server.infer(name, input(), { signal: abort.signal }).catch(({ code }) => code)
          requests.push({ abort, answered })
        } else if (action === 'cancel') requests[which % requests.length]?.abort.abort()
        else if (action === 'finish') await end(which)
        else clock.advance(1)
        await look()
      }
      clock.advance(1)
      await look()
      while (running.length > 0) {
        await end(0)
        await look()
      }
      for (const { abort, answered } of requests) {
        const result = await answered
        if (!abort.signal.aborted) expect(result).toHaveProperty('OUT')
      }
      await server.stop()
    }),
    { numRuns: 60 },
  )
})

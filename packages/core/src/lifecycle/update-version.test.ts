import { setImmediate } from 'node:timers/promises'
import { type ManualBackend, manualBackend, type TemporaryRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, loaded } from '../fixtures/server-rig.ts'
import type { InferOptions, Server, ServerOptions } from '../index.ts'

const model = (groups: string, more = '') => config(`${more} ${groups}`).replace('"identity"', '"manual"')
const cpu = (count: number, more = '') => `instance_group { kind: KIND_CPU count: ${count} ${more} }`

interface Rig {
  readonly server: Server
  readonly backend: ManualBackend
  readonly files: TemporaryRepository
  /** Writes the configuration of `m` and loads it; what the backend was asked to do meanwhile. */
  update(text: string): Promise<string[]>
}

/** A Server with one model `m`, which has version 1. */
async function serve(text: string, options: ServerOptions = {}, backend = manualBackend()): Promise<Rig> {
  const original = { 'm/config.pbtxt': text, 'm/1/model': '' }
  const { server, files } = await loaded(original, { backends: [backend], ...options })
  return {
    server,
    backend,
    files,
    async update(changed) {
      const before = backend.log.length
      await files.write({ 'm/config.pbtxt': changed })
      await server.load('m')
      await setImmediate()
      return backend.log.slice(before)
    },
  }
}

const successes = ({ server }: Rig): number | undefined => server.statistics('m')[0]?.inferenceStats.success.count

async function inferOnce({ server, backend }: Rig): Promise<string> {
  const answered = server.infer('m', input())
  const { instance, requests, finish } = await backend.next()
  for (const request of requests) request.respond(answer)
  finish()
  await answered
  return instance
}

/** Keeps asking; how many answers there were at the end, and the instances that ran. */
function callers({ server, backend }: Rig, count: number): () => Promise<{ answers: number; used: Set<string> }> {
  let over = false
  let answers = 0
  const used = new Set<string>()
  const caller = async (): Promise<void> => {
    while (!over) {
      await server.infer('m', input())
      answers++
    }
  }
  const all = Promise.all(Array.from({ length: count }, caller))
  const serving = (async () => {
    while (!over || backend.waiting > 0) {
      await setImmediate()
      for (let waiting = backend.waiting; waiting > 0; waiting--) {
        const { instance, requests, finish } = await backend.next()
        used.add(instance)
        for (const request of requests) request.respond(answer)
        finish()
      }
    }
  })()
  return async () => {
    over = true
    await Promise.all([all, serving])
    return { answers, used }
  }
}

describe('under load', () => {
  test.each([
    ['without batching', ''],
    ['with batching', 'dynamic_batching {}'],
    ['with order', 'dynamic_batching { preserve_ordering: true }'],
  ])('instances come and go and every request has its answer: %s', async (_, batching) => {
    const rig = await serve(model(cpu(3), batching))
    const version = rig.server.model('m')
    const stop = callers(rig, 8)
    expect(await rig.update(model(cpu(4), batching))).toEqual(['instance m_0_3'])
    expect(await rig.update(model(cpu(2), batching))).toContain('dispose m_0_3')
    expect(await rig.update(model(cpu(3), batching))).toEqual(['instance m_0_2'])
    const { answers, used } = await stop()
    expect(used).toEqual(new Set(['m_0_0', 'm_0_1', 'm_0_2', 'm_0_3']))
    expect(successes(rig)).toBe(answers)
    expect(version.config.instanceGroup).toMatchObject([{ count: 3 }])
    expect(rig.backend.log.filter((line) => line.startsWith('model'))).toEqual(['model m 1'])
    await rig.server.unload('m')
    await rig.server.stop()
    expect(rig.backend.log.filter((line) => line.startsWith('dispose')).length).toBe(6)
  })

  test('a run under way does not hold the update up, and its instance goes when it is through', async () => {
    const rig = await serve(model(cpu(1)))
    const answered = rig.server.infer('m', input())
    const { requests, finish } = await rig.backend.next()
    expect(await rig.update(model(cpu(1, 'host_policy: "other"')))).toEqual(['instance m_0_0'])
    expect(await inferOnce(rig)).toBe('m_0_0')
    for (const request of requests) request.respond(answer)
    await answered
    expect(rig.backend.log.at(-1)).toBe('instance m_0_0')
    finish()
    await setImmediate()
    expect(rig.backend.log.at(-1)).toBe('dispose m_0_0')
    expect(successes(rig)).toBe(2)
  })

  test('an unload waits for an instance that still runs', async () => {
    const rig = await serve(model(cpu(2)))
    const answers = [rig.server.infer('m', input()), rig.server.infer('m', input())]
    const executions = [await rig.backend.next(), await rig.backend.next()]
    expect(await rig.update(model(cpu(1)))).toEqual([])
    await rig.server.unload('m')
    for (const { requests } of executions) for (const request of requests) request.respond(answer)
    await Promise.all(answers)
    await setImmediate()
    expect(rig.backend.log.filter((line) => line.startsWith('dispose'))).toEqual([])
    for (const { finish } of executions) finish()
    await setImmediate()
    expect(rig.backend.log.slice(-3).sort()).toEqual(['dispose m 1', 'dispose m_0_0', 'dispose m_0_1'])
    expect(rig.backend.log.at(-1)).toBe('dispose m 1')
  })
})

describe.each([
  ['direct', 'sequence_batching { direct {} max_sequence_idle_microseconds: 8000000 }'],
  ['oldest', 'sequence_batching { oldest { max_candidate_sequences: 4 } max_sequence_idle_microseconds: 8000000 }'],
])('%s sequences', (_, sequences) => {
  async function step(rig: Rig, correlationId: number, flags: InferOptions = {}): Promise<string> {
    const answered = rig.server.infer('m', input(), { correlationId, ...flags })
    const { instance, requests, finish } = await rig.backend.next()
    for (const request of requests) request.respond(answer)
    finish()
    await answered
    return instance
  }
  const start = { sequenceStart: true }
  const end = { sequenceEnd: true }

  test('instances come and go between sequences', async () => {
    const rig = await serve(model(cpu(2), sequences))
    for (const [count, log] of [
      [4, ['instance m_0_2', 'instance m_0_3']],
      [3, ['dispose m_0_3']],
    ] as const) {
      const places = [await step(rig, 1, start), await step(rig, 1), await step(rig, 1, end)]
      expect(new Set(places).size).toBe(1)
      expect(await rig.update(model(cpu(count), sequences))).toEqual(log)
    }
    expect(successes(rig)).toBe(6)
  })

  test('a sequence goes on where it is, and its instance goes when it has ended', async () => {
    const rig = await serve(model(cpu(3), sequences))
    const places = [await step(rig, 1, start), await step(rig, 2, start)]
    const removed = await rig.update(model(cpu(1, 'name: "other" host_policy: "other"'), sequences))
    const busy = new Set(places)
    const idle = ['m_0_0', 'm_0_1', 'm_0_2'].filter((name) => !busy.has(name))
    expect(removed).toEqual(['instance other_0', ...idle.map((name) => `dispose ${name}`)])
    expect([await step(rig, 1), await step(rig, 2)]).toEqual(places)
    expect(await step(rig, 3, start)).toBe('other_0')
    for (const id of [1, 2]) await step(rig, id, end)
    await setImmediate()
    const gone = rig.backend.log.filter((line) => line.startsWith('dispose'))
    expect(gone.sort()).toEqual(['dispose m_0_0', 'dispose m_0_1', 'dispose m_0_2'])
    expect(await step(rig, 3, end)).toBe('other_0')
    expect(successes(rig)).toBe(8)
  })
})

describe('what needs no reload', () => {
  test.each<[string, string, string, string[]]>([
    ['a count of zero, which is one', cpu(1), cpu(0), []],
    ['another name', cpu(1), cpu(1, 'name: "new"'), []],
    ['two groups instead of one', cpu(2), `${cpu(1)} ${cpu(1)}`, []],
    ['another group', cpu(1), cpu(1, 'rate_limiter { priority: 2 }'), ['instance m_0_0', 'dispose m_0_0']],
    ['a passive one', cpu(1), `${cpu(1)} ${cpu(1, 'passive: true')}`, ['instance m_1_0']],
    ['the same text again', cpu(1), cpu(1), []],
  ])('%s', async (_, before, after, log) => {
    const rig = await serve(model(before))
    await inferOnce(rig)
    expect(await rig.update(model(after))).toEqual(log)
    await inferOnce(rig)
    expect(successes(rig)).toBe(2)
  })

  test('a configuration that is given with the load', async () => {
    const rig = await serve(model(cpu(1)))
    const { config } = rig.server.model('m')
    await rig.server.load('m', { config: { ...config, instanceGroup: [{ ...config.instanceGroup[0], count: 2 }] } })
    expect(rig.backend.log).toEqual(['model m 1', 'instance m_0_0', 'instance m_0_1'])
    expect(rig.server.model('m').config.instanceGroup).toMatchObject([{ count: 2 }])
  })

  test('another version policy loads and unloads what it says, and keeps the rest', async () => {
    const rig = await serve(model(cpu(1)))
    await rig.files.write({ 'm/2/model': '' })
    const all = `${model(cpu(2))} version_policy { all {} }`
    expect((await rig.update(all)).sort()).toEqual(['instance m_0_0', 'instance m_0_1', 'instance m_0_1', 'model m 2'])
    expect(rig.server.model('m', 1).config).toMatchObject({ versionPolicy: { all: {} }, instanceGroup: [{ count: 2 }] })
    expect(await rig.update(`${model(cpu(2))} version_policy { specific { versions: 2 } }`)).toEqual([
      'dispose m_0_0',
      'dispose m_0_1',
      'dispose m 1',
    ])
    expect(await rig.server.index()).toMatchObject([
      { version: '1', state: 'UNAVAILABLE', reason: 'unloaded' },
      { version: '2', state: 'READY' },
    ])
  })
})

describe('what needs a reload', () => {
  const reloaded = ['model m 1', 'instance m_0_0', 'dispose m_0_0', 'dispose m 1']

  test('another setting', async () => {
    const rig = await serve(model(cpu(1)))
    await inferOnce(rig)
    expect(await rig.update(model(cpu(1), 'dynamic_batching {}'))).toEqual(reloaded)
    expect(successes(rig)).toBe(0)
  })

  test.each(['m/1/model', 'm/labels.txt'])('a change of %s', async (file) => {
    const rig = await serve(model(cpu(1)))
    await rig.files.write({ [file]: 'changed' })
    expect(await rig.update(model(cpu(1)))).toEqual(reloaded)
  })

  test('of two versions only the one whose files changed', async () => {
    const rig = await serve(`${model(cpu(1))} version_policy { all {} }`)
    await rig.files.write({ 'm/2/model': '' })
    await rig.server.load('m')
    const before = rig.backend.log.length
    await rig.files.write({ 'm/2/model': 'changed' })
    await rig.server.load('m')
    await setImmediate()
    expect(rig.backend.log.slice(before)).toEqual(['model m 2', 'instance m_0_0', 'dispose m_0_0', 'dispose m 2'])
  })

  test('files that are given with the load', async () => {
    const rig = await serve(model(cpu(1)))
    const files = { '1/model': new Uint8Array() }
    for (let load = 0; load < 2; load++) {
      const before = rig.backend.log.length
      await rig.server.load('m', { config: rig.server.model('m').config, files })
      await setImmediate()
      expect(rig.backend.log.slice(before)).toEqual(reloaded)
    }
  })
})

describe('an update that fails leaves everything as it was', () => {
  /** Refuses to make an instance of this name. */
  function refusing(name: string): ManualBackend {
    const backend = manualBackend()
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (context) => {
      const made = await createModel(context)
      const createInstance = made.createInstance.bind(made)
      made.createInstance = async (slot) => {
        if (slot.name === name) throw new Error(`no ${name} here`)
        return createInstance(slot)
      }
      return made
    }
    return backend
  }

  test('when an instance cannot be made', async () => {
    const rig = await serve(model(cpu(2)), {}, refusing('m_0_3'))
    const unavailable: string[] = []
    rig.server.on('modelUnavailable', ({ reason }) => unavailable.push(reason))
    const before = rig.server.model('m').config
    await expect(rig.update(model(cpu(4)))).rejects.toThrow(
      "load failed for model 'm': version 1 is at READY state: Internal: no m_0_3 here;\n",
    )
    await setImmediate()
    expect(rig.backend.log.slice(3)).toEqual(['instance m_0_2', 'dispose m_0_2'])
    expect(rig.server.model('m').config).toBe(before)
    expect(await rig.server.isReady()).toBe(true)
    expect(unavailable).toEqual([])
    await inferOnce(rig)
    expect(await rig.update(model(cpu(1)))).toEqual(['dispose m_0_1'])
  })

  test('when another version cannot be loaded', async () => {
    const rig = await serve(`${model(cpu(1))} version_policy { all {} }`, {}, refusing('m_0_2'))
    await rig.files.write({ 'm/2/model': '' })
    await expect(rig.update(`${model(cpu(3))} version_policy { all {} }`)).rejects.toThrow(
      'version 1 is at READY state: Internal: no m_0_2 here;version 2 is at UNAVAILABLE state: Internal: no m_0_2 here;',
    )
    await setImmediate()
    expect(rig.backend.log.filter((line) => line.startsWith('instance')).length).toBe(4)
    expect(rig.backend.log.filter((line) => line.startsWith('dispose m_')).length).toBe(3)
    expect(rig.server.model('m').version).toBe(1)
    expect(rig.server.model('m').config.instanceGroup).toMatchObject([{ count: 1 }])
  })

  test('when the machine has no such device', async () => {
    const rig = await serve(model(cpu(1)))
    await expect(rig.update(model('instance_group { kind: KIND_GPU }'))).rejects.toThrow(
      'instance group m_0 of model m has kind KIND_GPU but no GPUs are available',
    )
    await inferOnce(rig)
  })

  test('when the caller gives it up', async () => {
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    let ask = () => {}
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const backend = manualBackend()
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (context) => {
      const made = await createModel(context)
      const createInstance = made.createInstance.bind(made)
      made.createInstance = async (slot) => {
        if (slot.name === 'm_0_1') {
          ask()
          await opened
        }
        return createInstance(slot)
      }
      return made
    }
    const rig = await serve(model(cpu(1)), {}, backend)
    await rig.files.write({ 'm/config.pbtxt': model(cpu(2)) })
    const abort = new AbortController()
    const loading = rig.server.load('m', { signal: abort.signal })
    await asked
    expect(await inferOnce(rig)).toBe('m_0_0')
    abort.abort()
    open()
    await expect(loading).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(backend.log.slice(2)).toEqual(['instance m_0_1', 'dispose m_0_1'])
    expect(rig.server.model('m').config.instanceGroup).toMatchObject([{ count: 1 }])
  })
})

describe('passive instances', () => {
  /** Two requests, of which the second could run on a second instance, run one after the other. */
  async function expectOnlyFirstRuns({ server, backend }: Awaited<ReturnType<typeof serve>>): Promise<void> {
    const answers = [server.infer('m', input()), server.infer('m', input())]
    for (const answered of answers) {
      const { instance, requests, finish } = await backend.next()
      expect([instance, backend.waiting]).toEqual(['m_0_0', 0])
      for (const request of requests) request.respond(answer)
      finish()
      await answered
    }
  }

  test('are made, asked whether they are ready and disposed, and run nothing', async () => {
    const rig = await serve(model(`${cpu(1)} ${cpu(2, 'name: "spare" passive: true')}`))
    expect(rig.backend.log).toEqual(['model m 1', 'instance m_0_0', 'instance spare_0', 'instance spare_1'])
    await expectOnlyFirstRuns(rig)
    rig.backend.ready = false
    expect(await rig.server.isReady()).toBe(false)
    expect((await rig.update(model(cpu(1)))).sort()).toEqual(['dispose spare_0', 'dispose spare_1'])
  })

  test('run nothing either when an update brings them', async () => {
    const rig = await serve(model(cpu(1)))
    expect(await rig.update(model(`${cpu(1)} ${cpu(1, 'passive: true')}`))).toEqual(['instance m_1_0'])
    await expectOnlyFirstRuns(rig)
  })

  test('need nothing of the rate limiter', async () => {
    const passive = cpu(1, 'passive: true rate_limiter { resources { name: "R" count: 9 } }')
    const limits = { rateLimit: 'execution_count', rateLimitResources: [{ name: 'R', count: 1 }] } as const
    const rig = await serve(model(`${cpu(1)} ${passive}`), limits)
    expect(await inferOnce(rig)).toBe('m_0_0')
  })
})

describe('with the rate limiter', () => {
  const needing = (count: number) => model(cpu(1, `rate_limiter { resources { name: "R" count: ${count} } }`))
  const changed = ['instance m_0_0', 'dispose m_0_0']

  test.each([
    ['as much as is needed', undefined],
    ['10', [{ name: 'R', count: 10 }]],
  ])('an instance that needs more or less is another one; there is %s', async (_, rateLimitResources) => {
    const rig = await serve(needing(2), { rateLimit: 'execution_count', rateLimitResources })
    for (const count of [8, 3]) {
      expect(await rig.update(needing(count))).toEqual(changed)
      await inferOnce(rig)
    }
    expect(successes(rig)).toBe(2)
  })

  test('an instance that needs more than there is', async () => {
    const limits = { rateLimit: 'execution_count', rateLimitResources: [{ name: 'R', count: 10 }] } as const
    const rig = await serve(needing(2), limits)
    await expect(rig.update(needing(32))).rejects.toThrow('the minimum required count is 32')
    await inferOnce(rig)
    expect(await rig.update(needing(10))).toEqual(changed)
    await inferOnce(rig)
  })
})

test('what the backend prefers holds where the configuration says nothing, after an update too', async () => {
  const preferred = manualBackend('manual', { preferredInstanceGroups: [{ kind: 'KIND_CPU', count: 3, gpus: [] }] })
  const rig = await serve(model(''), {}, preferred)
  expect(rig.server.model('m').config.instanceGroup).toMatchObject([{ name: 'm', kind: 'KIND_CPU', count: 3 }])
  expect(rig.backend.log).toEqual(['model m 1', 'instance m_0', 'instance m_1', 'instance m_2'])
  expect(await rig.update(model(cpu(1)))).toEqual(['dispose m_1', 'dispose m_2'])
  expect(await rig.update(model('instance_group { kind: KIND_CPU }'))).toEqual(['instance m_0_1', 'instance m_0_2'])
})

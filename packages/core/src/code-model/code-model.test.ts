import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { cleanUp, repository } from '../fixtures/server-rig.ts'
import {
  defineModel,
  type ModelClass,
  type ModelCode,
  Server,
  type ServerOptions,
  Tensor,
  TritonError,
  tensor,
} from '../index.ts'

const io = {
  input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
  output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
} as const

/** A started Server with these models, which goes with the test. */
async function serving(models: Record<string, ModelCode | ModelClass>, options: ServerOptions = {}): Promise<Server> {
  const server = new Server({ models, ...options })
  cleanUp(() => server.stop().catch(() => {}))
  await server.start()
  return server
}

/** Something that a test waits for. */
function event(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** The values of a tensor that is there. */
const valuesOf = (tensor: Tensor | undefined): Float32Array => tensor!.data as Float32Array

const floats = (...values: number[]) => new Float32Array(values)

const twice = defineModel({
  config: { ...io, maxBatchSize: 4 },
  infer: ({ inputs }) => ({ OUT: valuesOf(inputs.IN).map((value) => 2 * value) }),
})

describe('a model in code', () => {
  test('needs no repository and is there like any other', async () => {
    const server = await serving({ twice })
    const { OUT } = await server.infer('twice', { IN: floats(1, 2) })
    expect(OUT).toMatchObject({ shape: [1, 2], data: floats(2, 4) })
    expect(await server.index()).toEqual([{ name: 'twice', version: '1', state: 'READY' }])
    expect(server.model('twice').metadata()).toMatchObject({ versions: ['1'], platform: 'javascript' })
    expect(server.model('twice').config.instanceGroup).toMatchObject([{ kind: 'KIND_CPU', count: 1 }])
    expect(server.statistics('twice')).toMatchObject([{ inferenceCount: 1, executionCount: 1 }])
  })

  test('loads and unloads', async () => {
    const calls: string[] = []
    const m = defineModel({
      config: io,
      initialize: () => void calls.push('initialize'),
      infer: () => ({ OUT: [1, 2] }),
      finalize: () => void calls.push('finalize'),
    })
    const server = await serving({ m }, { modelControl: 'explicit' })
    await expect(server.infer('m', { IN: [1, 2] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await server.load('m')
    await server.load('m')
    expect((await server.infer('m', { IN: [1, 2] })).OUT?.data).toEqual(floats(1, 2))
    await server.unload('m')
    await server.stop()
    expect(calls).toEqual(['initialize', 'finalize'])
  })

  test('lives beside a repository, whose names it cannot have', async () => {
    const { path } = await repository({ 'twice/config.pbtxt': 'backend: "x"', 'twice/1/': '' })
    await expect(serving({ twice }, { modelRepository: path })).rejects.toThrow(
      'model appears in two or more repositories',
    )
  })

  test.each<[string, ModelCode, string | RegExp]>([
    ['another name', { config: { ...io, name: 'x' }, infer: () => undefined }, "with the configuration of 'x'"],
    ['no method', { config: io }, "needs either 'execute' or 'infer', this one has none"],
    ['both methods', { config: io, execute: () => [], infer: () => undefined }, 'this one has both'],
    [
      'an initialize that throws',
      {
        config: io,
        infer: () => undefined,
        initialize: () => {
          throw new RangeError('no weights')
        },
      },
      /model 'm': RangeError: no weights \(packages\/core\/src\/code-model\/code-model\.test\.ts:\d+:\d+\)/,
    ],
    [
      'an autoCompleteConfig that rejects',
      { infer: () => undefined, autoCompleteConfig: () => Promise.reject(new Error('not found')) },
      "model 'm': Error: not found",
    ],
  ])('with %s does not load', async (_, m, text) => {
    await expect(serving({ m })).rejects.toThrow(text)
  })

  test('tells what it is by autoCompleteConfig', async () => {
    const server = await serving({
      m: defineModel({
        autoCompleteConfig: async (config) => ({ ...io, maxBatchSize: config.name.length, dynamicBatching: {} }),
        infer: () => ({ OUT: [1, 2] }),
      }),
    })
    expect(server.model('m').config).toMatchObject({ maxBatchSize: 1, dynamicBatching: {} })
  })

  test('as a class is an object for each instance', async () => {
    class Counter implements ModelCode {
      readonly config = { ...io, instanceGroup: [{ count: 2 }] }
      #instance = ''

      initialize({ instance }: { readonly instance: string }): void {
        this.#instance = instance
      }

      async infer() {
        await Promise.resolve()
        return { OUT: [Number(this.#instance.at(-1)), 0] }
      }
    }
    const server = await serving({ m: Counter })
    const both = await Promise.all([server.infer('m', { IN: [0, 0] }), server.infer('m', { IN: [0, 0] })])
    expect(both.map(({ OUT }) => OUT?.data[0])).toEqual([0, 1])
  })
})

describe('execute', () => {
  const batching = {
    ...io,
    maxBatchSize: 4,
    dynamicBatching: { maxQueueDelayMicroseconds: 1000, preferredBatchSize: [2] },
  }

  /** What two requests of one batch hear. */
  async function ofTwo(execute: NonNullable<ModelCode['execute']>): Promise<unknown[]> {
    // Time stands still, so that the first request never goes without the second.
    const server = await serving({ m: { config: batching, execute } }, { clock: virtualClock() })
    const asked = [1, 2].map((value) => server.infer('m', { IN: floats(value, value) }, { id: String(value) }))
    const settled = await Promise.allSettled(asked)
    return settled.map((one) => (one.status === 'fulfilled' ? one.value.OUT?.data[0] : (one.reason as Error).message))
  }

  test('answers a batch', async () => {
    expect(await ofTwo((requests) => requests.map(({ inputs }) => ({ OUT: inputs.IN! })))).toEqual([1, 2])
  })

  test('fails one of them', async () => {
    const answers = await ofTwo(async (requests) =>
      requests.map(({ id, inputs }) =>
        id === '1' ? new TritonError('UNAVAILABLE', 'not this one') : { OUT: inputs.IN! },
      ),
    )
    expect(answers).toEqual(['not this one', 2])
  })

  test.each<[string, NonNullable<ModelCode['execute']>, (string | RegExp)[]]>([
    ['too few answers', () => [{ OUT: [1, 2] }], Array(2).fill("model 'm' returned 1 answers for 2 requests")],
    ['none', () => {}, Array(2).fill("model 'm' returned no answer to a request and has not taken its sender")],
    [
      'an error',
      () => {
        throw new TypeError('broken')
      },
      Array(2).fill(/^model 'm': TypeError: broken \(packages\//),
    ],
    [
      'an unknown output',
      () => [{ X: [1, 2] }, { OUT: [1, 2] }],
      ["model 'm' answered with 'X', its outputs are 'OUT'", 1 as never],
    ],
    [
      'a wrong shape',
      () => [{ OUT: tensor('FP32', [1, 3], floats(1, 2, 3)) }, { OUT: [1, 2] }],
      ["output 'OUT' of model 'm' has shape [1,3], but the request and the configuration want [1,2]", 1 as never],
    ],
    [
      'a wrong type',
      () => [{ OUT: tensor('INT32', [1, 2], new Int32Array(2)) }, { OUT: [1, 2] }],
      ["output 'OUT' of model 'm' is INT32, but the configuration says FP32", 1 as never],
    ],
    [
      'something else than outputs',
      () => [new Map() as never, { OUT: [1, 2] }],
      ["model 'm' answered with Map(0) {}, not with an object of outputs by name", 1 as never],
    ],
    [
      'a tensor whose bytes are too few',
      () => [{ OUT: Tensor.fromBytes('FP32', [1, 2], new Uint8Array(3)) }, { OUT: [1, 2] }],
      ["output 'OUT' of model 'm' has 3 bytes, which do not fill its shape [1,2]", 1 as never],
    ],
    [
      'something thrown that has no text',
      () => {
        throw Object.create(null)
      },
      Array(2).fill("model 'm': threw [Object: null prototype] {}"),
    ],
    [
      'values that do not fit',
      () => [{ OUT: ['a', 'b'] }, { OUT: [1, 2] }],
      ["output 'OUT' of type FP32 cannot hold string a", 1 as never],
    ],
  ])('with %s', async (_, execute, answers) => {
    const got = await ofTwo(execute)
    for (const [i, answer] of answers.entries()) {
      if (answer instanceof RegExp) expect(got[i]).toMatch(answer)
      else expect(got[i]).toBe(answer)
    }
  })

  test('that fails one response of a model that is not decoupled has ended its request', async () => {
    const after = event()
    let refusal: unknown
    const m = defineModel({
      config: io,
      async execute([request]) {
        const { sender } = request!
        sender.fail(new TritonError('NOT_FOUND', 'one is missing'), { final: false })
        refusal = await sender.send({ OUT: [1, 0] }).catch((error) => error)
        after.resolve()
      },
    })
    const server = await serving({ m })
    await expect(server.infer('m', { IN: [1, 2] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await after.promise
    expect(refusal).toMatchObject({ message: expect.stringContaining('has ended already') })
  })

  test('may answer later, by the sender', async () => {
    const answers = await ofTwo((requests) => {
      for (const { sender, id } of requests) setImmediate(() => void sender.send({ OUT: [Number(id), 0] }))
    })
    expect(answers).toEqual([1, 2])
  })
})

describe('a decoupled model', () => {
  const decoupled = { ...io, modelTransactionPolicy: { decoupled: true } }

  test('yields its responses, as many as the reader has room for', async () => {
    const yielded: number[] = []
    const server = await serving({
      count: defineModel({
        config: decoupled,
        async *infer({ inputs }) {
          const until = valuesOf(inputs.IN)[0]!
          for (let i = 0; i < until; i++) {
            yielded.push(i)
            yield { OUT: [i, 0] }
          }
        },
      }),
    })
    const stream = server.inferStream('count', { IN: [40, 0] })[Symbol.asyncIterator]()
    expect((await stream.next()).value?.OUT.data[0]).toBe(0)
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    expect(yielded.length).toBeLessThan(20)
    const rest: number[] = []
    for (let next = await stream.next(); !next.done; next = await stream.next()) rest.push(valuesOf(next.value.OUT)[0]!)
    expect(rest).toEqual(Array.from({ length: 39 }, (_, i) => i + 1))
  })

  test('may say that single responses failed, also one that returns its stream later', async () => {
    const server = await serving({
      m: defineModel({
        config: decoupled,
        infer: async () =>
          (async function* () {
            yield { OUT: [1, 0] }
            yield new TritonError('NOT_FOUND', 'the second is missing')
            yield { OUT: [3, 0] }
          })(),
      }),
    })
    const got: unknown[] = []
    const inputs = [{ name: 'IN', tensor: tensor('FP32', [2], floats(0, 0)) }]
    for await (const { outputs, error } of server.model('m').requestStream({ inputs })) {
      got.push(error?.message ?? outputs.OUT?.data[0])
    }
    expect(got).toEqual([1, 'the second is missing', 3])
  })

  test('is left when the reader leaves', async () => {
    const left = event()
    const server = await serving({
      count: defineModel({
        config: decoupled,
        async *infer() {
          try {
            for (;;) yield { OUT: [0, 0] }
          } finally {
            left.resolve()
          }
        },
      }),
    })
    for await (const _ of server.inferStream('count', { IN: [0, 0] })) break
    await left.promise
  })

  test('sends, fails and ends through the sender', async () => {
    const server = await serving({
      m: defineModel({
        config: decoupled,
        execute([request]) {
          const sender = request!.sender
          setImmediate(async () => {
            await sender.send({ OUT: [1, 0] })
            sender.fail(new TritonError('NOT_FOUND', 'one is missing'))
            await expect(sender.send({ OUT: [2, 0] })).rejects.toThrow('has ended already')
          })
        },
      }),
    })
    const got: unknown[] = []
    const run = async (): Promise<void> => {
      for await (const { OUT } of server.inferStream('m', { IN: [0, 0] })) got.push(OUT?.data[0])
    }
    await expect(run()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'one is missing' })
    expect(got).toEqual([1])
  })

  test('an answer that fails in the middle ends it', async () => {
    const server = await serving({
      m: defineModel({
        config: decoupled,
        async *infer() {
          yield { OUT: [1, 0] }
          yield { OUT: [1, 2, 3] }
        },
      }),
    })
    const stream = server.inferStream('m', { IN: [0, 0] })[Symbol.asyncIterator]()
    await stream.next()
    await expect(stream.next()).rejects.toThrow("output 'OUT'")
  })
})

describe('business logic', () => {
  const add = defineModel({
    config: io,
    infer: ({ inputs }) => ({ OUT: valuesOf(inputs.IN).map((value) => value + 1) }),
  })

  test('runs other models, with values or tensors', async () => {
    const server = await serving({
      add,
      twice,
      both: defineModel({
        config: io,
        async infer({ inputs }, context) {
          const { OUT } = await context.infer('add', { IN: inputs.IN! })
          return { OUT: (await context.infer('twice', { IN: valuesOf(OUT) })).OUT!.reshape([2]) }
        },
      }),
    })
    expect((await server.infer('both', { IN: [1, 2] })).OUT?.data).toEqual(floats(4, 6))
  })

  test('may take what it needs out of the context', async () => {
    const server = await serving({
      add,
      outer: defineModel({
        config: io,
        async infer({ inputs }, { infer, isModelReady }) {
          if (!(await isModelReady('add'))) throw new Error('not ready')
          return { OUT: (await infer('add', { IN: inputs.IN! })).OUT! }
        },
      }),
    })
    expect((await server.infer('outer', { IN: [1, 2] })).OUT?.data).toEqual(floats(2, 3))
  })

  test('hands the cancellation on', async () => {
    const begun = event()
    const heard = event()
    const server = await serving({
      slow: defineModel({
        config: io,
        async infer({ signal }) {
          signal.addEventListener('abort', () => heard.resolve())
          begun.resolve()
          await heard.promise
          return { OUT: [0, 0] }
        },
      }),
      outer: defineModel({
        config: io,
        infer: async (_, context) => ({ OUT: (await context.infer('slow', { IN: [0, 0] })).OUT! }),
      }),
    })
    const controller = new AbortController()
    const asked = server.infer('outer', { IN: [0, 0] }, { signal: controller.signal })
    await begun.promise
    controller.abort()
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
    await heard.promise
  })

  test('reads streams, and loads models', async () => {
    const server = await serving(
      {
        count: defineModel({
          config: { ...io, modelTransactionPolicy: { decoupled: true } },
          async *infer() {
            yield { OUT: [1, 0] }
            yield { OUT: [2, 0] }
          },
        }),
        sum: defineModel({
          config: io,
          async infer(_, context) {
            if (!(await context.isModelReady('count'))) await context.load('count')
            let sum = 0
            for await (const { OUT } of context.inferStream('count', { IN: [0, 0] })) sum += valuesOf(OUT)[0]!
            return { OUT: [sum, 0] }
          },
        }),
      },
      { modelControl: 'explicit', loadModels: ['sum'] },
    )
    expect((await server.infer('sum', { IN: [0, 0] })).OUT?.data[0]).toBe(3)
  })
})

test('a model has metrics of its own', async () => {
  const server = await serving({
    m: defineModel({
      config: io,
      infer({ inputs }, { metrics }) {
        metrics.counter('words_total', 'Words').add(2, { kind: 'a' })
        metrics.gauge('depth', 'Depth').set(7)
        metrics.histogram('length', 'Length', [1, 10]).observe(valuesOf(inputs.IN)[0]!)
        return { OUT: [0, 0] }
      },
    }),
  })
  await server.infer('m', { IN: [5, 0] })
  await server.infer('m', { IN: [50, 0] })
  const page = server.metrics()
  for (const line of ['words_total{kind="a"} 4', 'depth 7', 'length_bucket{le="10"} 1', 'length_count 2']) {
    expect(page).toContain(line)
  }
})

test('a metric has one type', async () => {
  const server = await serving({
    m: defineModel({
      config: io,
      infer(_, { metrics }) {
        metrics.counter('same', 'Same').add()
        metrics.gauge('same', 'Same').set(1)
        return { OUT: [0, 0] }
      },
    }),
  })
  await expect(server.infer('m', { IN: [0, 0] })).rejects.toThrow("metric 'same' is a counter already")
})

test('what callers without types send as a parameter is refused before it reaches a model', async () => {
  const server = await serving({ twice })
  const parameters = { f: () => 1 } as never
  await expect(server.infer('twice', { IN: [1, 2] }, { parameters })).rejects.toThrow(
    "parameter 'f' must be a string, a number or a boolean, not function",
  )
})

test('keeps the state of a sequence', async () => {
  const server = await serving({
    sum: defineModel({
      config: {
        ...io,
        input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [1] }],
        output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [1] }],
        sequenceBatching: {
          state: [{ inputName: 'SUM_IN', outputName: 'SUM', dataType: 'TYPE_FP32', dims: [1] }],
        },
      },
      infer(request) {
        const sum = (request.inputs.SUM_IN?.data[0] as number) + valuesOf(request.inputs.IN)[0]!
        request.updateState('SUM', [sum])
        return { OUT: [sum] }
      },
    }),
  })
  const sums: unknown[] = []
  for (const value of [1, 2, 3]) {
    const options = { correlationId: 7, sequenceStart: value === 1, sequenceEnd: value === 3 }
    sums.push((await server.infer('sum', { IN: [value] }, options)).OUT?.data[0])
  }
  expect(sums).toEqual([1, 3, 6])
})

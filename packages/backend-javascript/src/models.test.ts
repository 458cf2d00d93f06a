import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { config, input, places, started, startedWith } from './fixtures/rig.ts'
import { javascript } from './javascript-backend.ts'

describe.each(places)('a model in a file, executed in %s', (place) => {
  test('is TypeScript without a build step, with its helpers', async () => {
    const { server } = await started({
      'm/config.pbtxt': config(place),
      'm/1/helper.ts': 'enum Factor { Two = 2 }\nexport const scale = (value: number): number => value * Factor.Two',
      'm/1/model.ts': `
        import { basename } from 'node:path'
        import { defineModel, type ModelRequest, tensor } from '@triton-ts/core'
        import { scale } from './helper'
        const file = await Promise.resolve(basename(import.meta.filename))
        export default defineModel({
          execute: (requests: readonly ModelRequest[]) => requests.map(({ inputs }) => {
            if (file !== 'model.ts') throw new Error(file)
            return { OUT: tensor('FP32', [2], Float32Array.from(inputs.IN!.data as Float32Array, scale)) }
          }),
        })`,
    })
    expect((await server.infer('m', input(1, 2))).OUT?.data).toEqual(new Float32Array([2, 4]))
  })

  test.each([
    ['model.mts', 'export default { infer: (): object => ({ OUT: [7, 0] }) }'],
    ['model.mjs', 'export default { infer: () => ({ OUT: [7, 0] }) }'],
    ['model.js', 'export default class { infer() { return { OUT: [7, 0] } } }'],
    ['model.cjs', 'module.exports = { infer: () => ({ OUT: [7, 0] }) }'],
  ])('is %s', async (file, code) => {
    const { server } = await started({ 'm/config.pbtxt': config(place), [`m/1/${file}`]: code })
    expect((await server.infer('m', input())).OUT?.data[0]).toBe(7)
  })

  test('is the file that the configuration names', async () => {
    const { server } = await started({
      'm/config.pbtxt': config(place, { backend: 'typescript', defaultModelFilename: 'main.ts' }),
      'm/1/main.ts': 'export default { infer: () => ({ OUT: [7, 0] }) }',
      'm/1/model.ts': 'throw new Error("not this one")',
    })
    expect((await server.infer('m', input())).OUT?.data[0]).toBe(7)
  })

  test('tells what it is where the configuration does not', async () => {
    const parameters = { EXECUTE_IN: { stringValue: place } }
    const { server } = await started({
      'm/config.pbtxt': { parameters },
      'm/1/model.ts': `export default {
        config: { input: [{ name: 'TEXT', dataType: 'TYPE_STRING', dims: [-1] }], maxBatchSize: 8 },
        autoCompleteConfig: (config, context) => ({
          maxBatchSize: 1,
          output: [{ name: config.input[0].name + '_OUT', dataType: 'TYPE_STRING', dims: [-1] }],
        }),
        infer: ({ inputs }) => ({ TEXT_OUT: [inputs.TEXT.strings().map((text) => text.toUpperCase())] }),
      }`,
    })
    expect(server.model('m').config).toMatchObject({ backend: 'javascript', maxBatchSize: 8 })
    expect((await server.infer('m', { TEXT: ['a', 'é'] })).TEXT_OUT?.strings()).toEqual(['A', 'É'])
  })

  test('is fresh after each load, helpers too', async () => {
    const files = (value: number) => ({
      'm/1/helper.ts': `export const value = ${value}`,
      'm/1/model.ts': `import { value } from './helper.ts'
        export default { infer: () => ({ OUT: [value, 0] }) }`,
    })
    const { server, repository } = await started(
      { 'm/config.pbtxt': config(place), ...files(1) },
      { modelControl: 'explicit', loadModels: ['m'] },
    )
    for (const value of [2, 33, 444]) {
      await repository.write(files(value))
      await server.load('m')
      expect((await server.infer('m', input())).OUT?.data[0]).toBe(value)
    }
  })

  test.each(['ts', 'mts', 'js', 'mjs', 'cjs'])('is fresh after each load as model.%s', async (extension) => {
    const files = (value: number) => ({
      'm/1/value.json': `{ "value": ${value} }`,
      [`m/1/model.${extension}`]:
        extension === 'cjs'
          ? `module.exports = { infer: () => ({ OUT: [${value}, ${value}] }) }`
          : `import data from './value.json' with { type: 'json' }
            export default { infer: () => ({ OUT: [${value}, data.value] }) }`,
    })
    const { server, repository } = await started(
      { 'm/config.pbtxt': config(place), ...files(1) },
      { modelControl: 'explicit', loadModels: ['m'] },
    )
    await repository.write(files(2))
    await server.load('m')
    expect((await server.infer('m', input())).OUT?.data).toEqual(new Float32Array([2, 2]))
  })

  test('is fresh also where the repository is a link, with what it imports only when it runs', async () => {
    const files = (value: number) => ({
      'real/m/1/helper.ts': `export const value = ${value}`,
      'real/m/1/later.ts': `export const value = ${value}`,
      'real/m/1/model.ts': `import { value } from './helper.ts'
        export default { infer: async () => ({ OUT: [value, (await import('./later.ts')).value] }) }`,
    })
    await using repository = await modelRepository({ 'real/m/config.pbtxt': config(place), ...files(1) })
    const link = join(repository.path, 'link')
    await symlink(join(repository.path, 'real'), link)
    await using server = await Server.start({
      modelRepository: link,
      modelControl: 'explicit',
      loadModels: ['m'],
      backends: [javascript()],
    })
    for (const value of [1, 2, 3]) {
      await repository.write(files(value))
      await server.load('m')
      expect((await server.infer('m', input())).OUT?.data).toEqual(new Float32Array([value, value]))
    }
  })

  test('that has sent what the engine refuses is told that no more is wanted', async () => {
    const { server } = await startedWith(
      place,
      `export default { async *infer(request) {
        request.updateState('NONE', request.inputs.IN)
        for (let i = 0; ; i++) yield { OUT: [i, 0] }
      } }`,
      {
        modelTransactionPolicy: { decoupled: true },
        sequenceBatching: { state: [{ inputName: 'A', outputName: 'B', dataType: 'TYPE_FP32', dims: [2] }] },
      },
    )
    for (let i = 0; i < 2; i++) {
      const stream = server.inferStream('m', input(), { correlationId: 7, sequenceStart: true })
      await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow("'NONE'")
    }
  })

  test('hears that a stream that it has aborted is not complete', async () => {
    const { server } = await started({
      'count/config.pbtxt': config(place, { modelTransactionPolicy: { decoupled: true } }),
      'count/1/model.ts': 'export default { async *infer() { for (let i = 0; i < 1000; i++) yield { OUT: [i, 0] } } }',
      'm/config.pbtxt': config(place),
      'm/1/model.ts': `export default { async infer(_, context) {
        const controller = new AbortController()
        try {
          for await (const _ of context.inferStream('count', { IN: [0, 0] }, { signal: controller.signal })) {
            controller.abort()
            await new Promise(setImmediate)
          }
          return { OUT: [0, 0] }
        } catch ({ code }) {
          return { OUT: [code === 'CANCELLED' ? 1 : 2, 0] }
        }
      } }`,
    })
    expect((await server.infer('m', input())).OUT?.data[0]).toBe(1)
  })

  test('has the parameters, the directory and the name of its instance', async () => {
    const { server } = await startedWith(
      place,
      `export default {
        initialize(context) { this.told = [context.model, context.version, context.instance, context.parameters.WORD] },
        async infer(_, { directory, versionDirectory, config }) {
          return { OUT: [this.told.join() === 'm,1,m_0,hello' ? 1 : 0, versionDirectory === directory + '/1' && config.name === 'm' ? 1 : 0] }
        },
      }`,
      { parameters: { WORD: { stringValue: 'hello' } } },
    )
    expect((await server.infer('m', input())).OUT?.data).toEqual(new Float32Array([1, 1]))
  })

  test('has what a request says', async () => {
    const { server } = await startedWith(
      place,
      `export default { infer({ id, parameters, requestedOutputs, priority, timeoutMicroseconds, batchSize, correlationId }) {
        const told = [id, parameters.a, requestedOutputs.join(), priority, timeoutMicroseconds, batchSize, String(correlationId)]
        if (told.join(' ') !== 'r 1 OUT 0 5000000 1 0') throw new Error(told.join(' '))
        return { OUT: [1, 2] }
      } }`,
      { maxBatchSize: 2 },
    )
    const options = { id: 'r', parameters: { a: 1 }, timeoutMicroseconds: 5_000_000 }
    expect((await server.infer('m', input(), options)).OUT?.shape).toEqual([1, 2])
  })

  test('counts the batch', async () => {
    const { server } = await startedWith(
      place,
      'export default { execute: async (requests) => requests.map(({ inputs }) => ({ OUT: inputs.IN })) }',
      { maxBatchSize: 4, dynamicBatching: { preferredBatchSize: [2], maxQueueDelayMicroseconds: 30_000_000 } },
    )
    const both = await Promise.all([server.infer('m', input(1, 2)), server.infer('m', input(3, 4))])
    expect(both.map(({ OUT }) => OUT?.data[0])).toEqual([1, 3])
    expect(server.statistics('m')).toMatchObject([{ inferenceCount: 2, executionCount: 1 }])
  })

  test('streams, as fast as it is read', async () => {
    const { server } = await startedWith(
      place,
      `let yielded = 0
      export default { async *infer({ inputs }, { metrics }) {
        const gauge = metrics.gauge('yielded', 'Responses')
        for (let i = 0; i < inputs.IN.data[0]; i++) {
          gauge.set(++yielded)
          yield { OUT: [i, 0] }
        }
      } }`,
      { modelTransactionPolicy: { decoupled: true } },
    )
    const got: number[] = []
    for await (const { OUT } of server.inferStream('m', input(200))) {
      const yielded = Number(/^yielded (\d+)/m.exec(server.metrics())?.[1] ?? 0)
      expect(yielded - got.length).toBeLessThan(60)
      got.push(OUT?.data[0] as number)
    }
    expect(got).toEqual(Array.from({ length: 200 }, (_, i) => i))
  })

  test('answers through senders, after execute', async () => {
    const { server } = await startedWith(
      place,
      `export default { execute(requests) {
        for (const { sender } of requests) setImmediate(async () => {
          await sender.send({ OUT: [1, 0] })
          await sender.send({ OUT: [2, 0] }, { parameters: { last: true } })
          sender.end()
        })
      } }`,
      { modelTransactionPolicy: { decoupled: true } },
    )
    const got: unknown[] = []
    for await (const { outputs, parameters } of server
      .model('m')
      .requestStream({ inputs: [{ name: 'IN', tensor: tensorOf([1, 2]) }] })) {
      got.push([outputs.OUT?.data[0], parameters])
    }
    expect(got).toEqual([
      [1, {}],
      [2, { last: true }],
    ])
  })

  test('runs other models: by values, by tensors, as a stream', async () => {
    const { server } = await started({
      'twice/config.pbtxt': config(place),
      'twice/1/model.ts':
        'export default { infer: ({ inputs }) => ({ OUT: inputs.IN.data.map((value) => 2 * value) }) }',
      'count/config.pbtxt': config(place, { modelTransactionPolicy: { decoupled: true } }),
      'count/1/model.ts': 'export default { async *infer() { for (const i of [1, 2, 3]) yield { OUT: [i, 0] } } }',
      'm/config.pbtxt': config(place),
      'm/1/model.ts': `export default { async infer({ inputs }, context) {
        const { OUT } = await context.infer('twice', { IN: inputs.IN })
        const again = await context.infer('twice', { IN: [OUT.data[0], OUT.data[1]] })
        const last = await context.infer('twice', { IN: new Float32Array([9, 9, ...again.OUT.data]).subarray(2) })
        let sum = 0
        for await (const { OUT } of context.inferStream('count', { IN: [0, 0] })) sum += OUT.data[0]
        for await (const _ of context.inferStream('count', { IN: [0, 0] })) break
        if (await context.isModelReady('nothing')) throw new Error('ready')
        await context.infer('nothing', { IN: [0, 0] }).then(() => { throw new Error('found') }, ({ code }) => {
          if (code !== 'NOT_FOUND') throw new Error(code)
        })
        return { OUT: [last.OUT.data[0], sum] }
      } }`,
    })
    expect((await server.infer('m', input(1, 2))).OUT?.data).toEqual(new Float32Array([8, 6]))
  })

  test('hands the cancellation on to what it asked', async () => {
    const { server, log } = await started({
      'slow/config.pbtxt': config(place),
      'slow/1/model.ts': `export default { infer: ({ signal }, { logger }) => new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          logger.info({}, 'slow is cancelled')
          resolve({ OUT: [0, 0] })
        })
        logger.info({}, 'slow has begun')
      }) }`,
      'm/config.pbtxt': config(place),
      'm/1/model.ts': `export default { infer: async (request, context) => await context.infer('slow', { IN: [1, 2] }) }`,
    })
    const controller = new AbortController()
    const asked = server.infer('m', input(), { signal: controller.signal })
    await log.line('slow has begun')
    controller.abort()
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
    await log.line('slow is cancelled')
  })

  test('keeps the state of a sequence', async () => {
    const { server } = await startedWith(
      place,
      `export default { infer(request) {
        const sum = [0, 1].map((i) => request.inputs.SUM_IN.data[i] + request.inputs.IN.data[i])
        request.updateState('SUM', sum)
        return { OUT: sum }
      } }`,
      {
        sequenceBatching: {
          state: [{ inputName: 'SUM_IN', outputName: 'SUM', dataType: 'TYPE_FP32', dims: [2] }],
        },
      },
    )
    const sums: unknown[] = []
    for (const value of [1, 2, 3]) {
      const options = { correlationId: 7, sequenceStart: value === 1, sequenceEnd: value === 3 }
      sums.push((await server.infer('m', input(value), options)).OUT?.data[0])
    }
    expect(sums).toEqual([1, 3, 6])
  })

  test.each([
    [
      'throws in the module',
      'const a: number = 1\nthrow new Error("no")',
      /model 'm': Error: no \(1\/model\.ts:2:\d+\)/,
    ],
    ['has a syntax error', 'export const a = 1\nexport default = 2', /model 'm': .*model\.ts:2/],
    ['has no default export', 'export const a = 1', /has no default export with a model/],
    ['has no method', 'export default class {}', /needs either 'execute' or 'infer', this one has none/],
    ['lacks a module', "import './missing.ts'\nexport default {}", /model 'm': .*missing\.ts/],
    [
      'throws in its constructor',
      'export default class {\n  constructor() {\n    throw new RangeError("no")\n  }\n  infer() {}\n}',
      /model 'm': RangeError: no \(1\/model\.ts:3:\d+\)/,
    ],
    [
      'throws in initialize',
      'export default {\n  async initialize() {\n    throw new RangeError("no")\n  },\n  infer() {}\n}',
      /model 'm': RangeError: no \(1\/model\.ts:3:\d+\)/,
    ],
    [
      'throws in autoCompleteConfig',
      'export default {\n  autoCompleteConfig() {\n    throw "text"\n  },\n  infer() {}\n}',
      /model 'm': threw text/,
    ],
  ])('that %s does not load, and says where', async (_, code, text) => {
    await expect(startedWith(place, code)).rejects.toThrow(text)
  })

  test('without a file does not load', async () => {
    await expect(started({ 'm/config.pbtxt': config(place), 'm/1/other.ts': '' })).rejects.toThrow(
      "model 'm' has no file model.ts or model.mts or model.mjs or model.js or model.cjs",
    )
  })

  test('that throws fails only its requests, and says where', async () => {
    const { server, log } = await startedWith(
      place,
      `export default { async infer({ inputs }) {
        if (inputs.IN.data[0] === 0)
          throw new TypeError('zero')
        return { OUT: inputs.IN }
      } }`,
    )
    await expect(server.infer('m', input(0))).rejects.toThrow(/^model 'm': TypeError: zero \(1\/model\.ts:3:\d+\)$/)
    await log.line('TypeError: zero')
    expect((await server.infer('m', input(1))).OUT?.data[0]).toBe(1)
  })

  test('keeps code and text of its own errors', async () => {
    const { server } = await startedWith(
      place,
      `import { TritonError } from '@triton-ts/core'
      export default { infer() { throw new TritonError('UNAVAILABLE', 'come back later') } }`,
    )
    await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'come back later' })
  })

  test('finalizes, and what that throws is logged', async () => {
    const { server, log } = await startedWith(
      place,
      'export default { infer() {}, finalize() { throw new Error("at the end") } }',
    )
    await server.stop()
    expect(log.lines.some((line) => line.includes("'finalize' failed: model 'm': Error: at the end"))).toBe(true)
  })
})

const tensorOf = (values: number[]) => tensor('FP32', [values.length], new Float32Array(values))

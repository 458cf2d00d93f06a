import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, input } from '../fixtures/server-rig.ts'
import { Server } from '../index.ts'
import { onDemandRig } from './fixtures/on-demand-rig.ts'

const bytes = (count: number): string => 'x'.repeat(count)

describe('what a model takes', () => {
  test('is the size of the files of the versions that are served', async () => {
    const files = {
      'm/config.pbtxt': config('version_policy { latest { num_versions: 2 } }'),
      'm/1/old.bin': bytes(1000),
      'm/2/model.bin': bytes(200),
      'm/3/weights/part.bin': bytes(30),
      'm/extra.bin': bytes(5000),
    }
    const { ask, figure } = await onDemandRig({}, 1000, { memoryOf: undefined }, files)
    await ask('m')
    expect(figure('memory_used_bytes')).toBe(230)
    expect(figure('memory_budget_bytes')).toBe(1000)
  })

  test('is what its backend reports, once that is known', async () => {
    const telling = inlineBackend('telling', ({ name }) => ({
      execute: (requests) => {
        for (const request of requests) request.respond({ outputs: { OUT: request.inputs.get('IN')! } })
      },
      model: {
        memoryUsage: () => [
          { type: 'CPU', id: 0, byteSize: name === 'big' ? 500 : 100 },
          { type: 'GPU', id: 1, byteSize: 50 },
        ],
      },
    }))
    const model = (name: string) => ({
      [`${name}/config.pbtxt`]: config().replace('"identity"', '"telling"'),
      [`${name}/1/model.bin`]: bytes(10),
    })
    const files = { ...model('big'), ...model('small'), ...model('other') }
    const { ask, figure, loaded } = await onDemandRig({}, 600, { memoryOf: undefined }, files, [telling])
    await ask('small')
    expect(figure('memory_used_bytes')).toBe(150)
    // It was thought to take 10 bytes: the least recently used go as soon as more is known.
    await ask('big')
    expect(await loaded()).toEqual(['big'])
    expect(figure('memory_used_bytes')).toBe(550)
    await ask('other')
    expect(await loaded()).toEqual(['other'])
    // Now it is known before the load.
    await ask('big')
    expect(await loaded()).toEqual(['big'])
    expect(figure('evictions_total')).toBe(3)
  })

  test('is what `memoryOf` says', async () => {
    const heard: unknown[] = []
    const files = { 'm/config.pbtxt': config(), 'm/1/model.bin': bytes(7) }
    const memoryOf = (model: { fileBytes: number }): number => {
      heard.push(model)
      return 10 * model.fileBytes
    }
    const { ask, figure } = await onDemandRig({}, 1000, { memoryOf }, files)
    await ask('m')
    expect(figure('memory_used_bytes')).toBe(70)
    expect(heard).toEqual([{ name: 'm', version: 1, fileBytes: 7 }])
  })

  test.each([Number.NaN, -1])('which must be a size: %d is none', async (bytes) => {
    const { ask, figure } = await onDemandRig({ m: 1 }, 1000, { memoryOf: () => bytes })
    await expect(ask('m')).rejects.toThrow(`memoryOf must return a number of bytes for model 'm', got ${bytes}`)
    expect(figure('memory_used_bytes')).toBe(0)
  })
})

test('a reload needs memory for both, until the old one is gone', async () => {
  const { server, backend, figure, repository } = await onDemandRig({ a: 2 }, 4)
  await server.load('a')
  backend.held.add('a')
  const running = server.infer('a', input())
  await repository.write({ 'a/1/model.bin': 'new' })
  await server.load('a')
  expect(figure('memory_used_bytes')).toBe(4)
  await backend.answer('a')
  await running
  while (figure('memory_used_bytes') > 2) await backend.answer('a')
  expect(backend.log).toEqual(['+a', '+a', '-a'])
  expect(backend.mostUsed).toBe(4)
})

test('without room for both it is refused, and the old one goes on', async () => {
  const { server, ask, repository } = await onDemandRig({ a: 2 }, 3)
  await server.load('a')
  await repository.write({ 'a/1/model.bin': 'new' })
  await expect(server.load('a')).rejects.toThrow(
    "model 'a' needs 2 B, but the memory budget is 3 B; unload it first, since it stays in service while it is loaded anew",
  )
  await ask('a')
})

test('the files of a load count, too', async () => {
  const { server, figure, ask } = await onDemandRig({}, 100, { memoryOf: undefined }, { 'x/1/': '' })
  const options = {
    config: { backend: 'identity', maxBatchSize: 4, ...io },
    files: { '1/model.bin': Buffer.alloc(60) },
  }
  await server.load('m', options)
  expect(figure('memory_used_bytes')).toBe(60)
  await ask('m')
  const more = { ...options, files: { [join('1', 'model.bin')]: Buffer.alloc(101) } }
  await expect(server.load('n', more)).rejects.toThrow("model 'n' needs 101 B")
})

const io = {
  input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
  output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
} as const

test.each([
  [{ memoryBudget: '1GB' }, "memoryBudget needs modelControl: 'on-demand'"],
  [{ memoryOf: () => 1 }, "memoryOf needs modelControl: 'on-demand'"],
  [{ modelControl: 'on-demand', memoryBudget: 'much' }, 'memoryBudget must be a number of bytes'],
  [
    { modelControl: 'on-demand', modelNamespacing: true },
    "modelNamespacing does not go with modelControl: 'on-demand'",
  ],
  [{ loadModels: ['m'] }, "loadModels needs modelControl: 'explicit' or 'on-demand'"],
] as const)('settings that make no sense: %o', (options, text) => {
  expect(() => new Server(options)).toThrow(text)
})

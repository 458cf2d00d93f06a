import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { localCache, tensor } from '../index.ts'
import { ensemble, float, model, values } from './fixtures/pipelines.ts'
import { add, chain, echo, manual, serve } from './fixtures/serve.ts'

const out = (value: number) => ({ outputs: { OUT: float(value) } })

test('a step gets an error of its own: the request is refused by the model', async () => {
  const second = model('identity', { inputs: ['IN:-1'], outputs: ['OUT'], more: 'dynamic_batching {}' })
  const { server } = await serve(
    { first: model('none', { inputs: ['IN'], outputs: ['OUT'] }), second, e: chain() },
    {
      backends: [
        inlineBackend('none', () => ({
          execute: (requests) => {
            for (const request of requests) request.respond({ outputs: {} })
          },
        })),
      ],
    },
  )
  await expect(server.infer('e', { X: float(1) }, { id: '7' })).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message: expect.stringMatching(
      /^in ensemble 'e', \[request id: 7\] expected 1 inputs but got 0 inputs for model 'second'/,
    ),
  })
})

test('an output that a step does not give is missing for what comes after it, and in the response', async () => {
  const half = inlineBackend('half', () => ({
    execute: (requests) => {
      for (const request of requests) request.respond(out(4))
    },
  }))
  const { server } = await serve(
    {
      first: model('half', { inputs: ['IN'], outputs: ['OUT', 'REST'] }),
      add,
      e: ensemble({
        inputs: ['X'],
        outputs: ['Y', 'rest'],
        steps: [
          { model: 'first', in: { IN: 'X' }, out: { OUT: 'a', REST: 'rest' } },
          { model: 'add', in: { A: 'a', B: 'rest' }, out: { OUT: 'Y' } },
        ],
      }),
    },
    { backends: [half] },
  )
  expect(values(await server.infer('e', { X: float(1) }))).toEqual({ Y: 4 })
})

test('an output that is called like what every object has may be missing, too', async () => {
  const silent = inlineBackend('silent', () => ({
    execute: (requests) => {
      for (const request of requests) request.respond({ outputs: {} })
    },
  }))
  const { server } = await serve(
    {
      first: model('silent', { inputs: ['IN'], outputs: ['constructor'] }),
      e: ensemble({
        inputs: ['X'],
        outputs: ['Y'],
        steps: [{ model: 'first', in: { IN: 'X' }, out: { constructor: 'Y' } }],
      }),
    },
    { backends: [silent] },
  )
  expect(await server.infer('e', { X: float(1) })).toEqual({})
})

/** A model of which version 1 is decoupled and version 2, which an ensemble is checked against, is not. */
const twoFaced = inlineBackend('two', ({ version }) => ({
  model: { autoCompleted: { modelTransactionPolicy: { decoupled: version === 1 } } },
  execute: ([request]) => {
    const count = version === 1 ? Number(request?.inputs.get('IN')?.data[0]) : 1
    for (let i = 0; i < count; i++) request?.respond(out(i), { final: version === 2 })
    if (version === 1) request?.end()
  },
}))

test('a version that answers otherwise than the latest', async () => {
  const step = { model: 'm', version: 1, in: { IN: 'X' }, out: { OUT: 'Y' } }
  const { server } = await serve(
    {
      m: model('two', { inputs: ['IN'], outputs: ['OUT'], more: 'version_policy { all {} }' }),
      'm/2/unused': '',
      e: ensemble({ inputs: ['X'], outputs: ['Y'], steps: [step] }),
    },
    { backends: [twoFaced] },
  )
  const infer = (responses: number) => server.infer('e', { X: float(responses) }, { id: '7' })
  await expect(infer(0)).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message:
      "in ensemble 'e', [request id: 7] unexpected deadlock, at least one output is not set while no more ensemble steps can be made",
  })
  expect(values(await infer(1))).toEqual({ Y: 0 })
  await expect(infer(2)).rejects.toThrow('more than one response')
})

test('a response that is not what the configuration of the ensemble says', async () => {
  const column = 'dims: [ -1, 1 ]'
  const e = ensemble({
    inputs: ['X:-1'],
    outputs: ['Y:2'],
    steps: [{ model: 'm', in: { IN: 'X' }, out: { OUT: 'Y' } }],
  })
  const { server } = await serve({
    m: model('identity', { inputs: ['IN:-1'], outputs: ['OUT:-1'] }).replaceAll('dims: -1', column),
    e: e.replace('dims: -1', column).replace('dims: 2', 'dims: 2 reshape { shape: [ 2, 1 ] }'),
  })
  const infer = (rows: number) => server.infer('e', { X: tensor('FP32', [rows, 1], new Float32Array(rows)) })
  expect((await infer(2)).Y?.shape).toEqual([2])
  await expect(infer(3)).rejects.toMatchObject({
    code: 'INTERNAL',
    message: "in ensemble 'e', output 'Y' of shape [3,1] does not fit [2]",
  })
  expect(server.model('e').statistics()[0]?.inferenceStats.fail.count).toBe(1)
})

test('a model that goes away serves the ensemble requests that have begun, and no others', async () => {
  const { server, backend } = await serve(
    { first: manual(), second: echo, e: chain() },
    { modelControl: 'explicit', loadModels: ['e'] },
  )
  const answer = server.infer('e', { X: float(1) })
  const { requests, finish } = await backend.next()
  await server.unload('second')
  requests[0]?.respond(out(5))
  finish()
  expect(values(await answer)).toEqual({ Y: 5 })
  await expect(server.infer('e', { X: float(1) })).rejects.toThrow('has no available versions')
})

test('the response cache of an ensemble', async () => {
  const cached = chain().replace('platform', 'response_cache { enable: true } platform')
  const { server } = await serve({ first: echo, second: echo, e: cached }, { cache: localCache({ size: 1 << 20 }) })
  const answers = [await server.infer('e', { X: float(3) }), await server.infer('e', { X: float(3) })]
  expect(answers.map(values)).toEqual([{ Y: 3 }, { Y: 3 }])
  expect(server.model('e').statistics()[0]).toMatchObject({
    executionCount: 1,
    inferenceStats: { cacheHit: { count: 1 }, cacheMiss: { count: 1 } },
  })
  expect(server.model('first').statistics()[0]?.executionCount).toBe(1)
})

test('compute times that a step reports after its answer still count', async () => {
  const clock = virtualClock()
  const durations = { computeInput: 1, computeInfer: 2, computeOutput: 3 }
  const late = inlineBackend('late', () => ({
    instance: { reportsStatistics: true },
    execute([request], marks) {
      request?.respond(out(1))
      if (request === undefined) return
      marks.reportRequest(request, durations, true)
      marks.reportBatch(1, durations)
    },
  }))
  const step = model('late', { inputs: ['IN'], outputs: ['OUT'] })
  const { server } = await serve({ first: step, second: step, e: chain() }, { backends: [late], clock })
  await server.infer('e', { X: float(1) })
  const times = {
    computeInput: { count: 1, ns: 2e6 },
    computeInfer: { count: 1, ns: 4e6 },
    computeOutput: { count: 1, ns: 6e6 },
  }
  expect(server.model('e').statistics()[0]).toMatchObject({ inferenceStats: times, batchStats: [times] })
})

import { expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { type Explanation, silentLogger } from '../index.ts'
import { tensor } from '../request/tensor.ts'
import { ensemble, float, model, values } from './fixtures/pipelines.ts'
import { add, chain, echo, manual, serve } from './fixtures/serve.ts'

test('a diamond: what one step leaves goes to two, and they meet again', async () => {
  const { server } = await serve({
    echo,
    add,
    e: ensemble({
      inputs: ['X', 'Z'],
      outputs: ['Y', 'a'],
      steps: [
        { model: 'add', in: { A: 'b', B: 'c' }, out: { OUT: 'Y' } },
        { model: 'add', in: { A: 'a', B: 'Z' }, out: { OUT: 'b' } },
        { model: 'echo', in: { IN: 'a' }, out: { OUT: 'c' } },
        { model: 'echo', in: { IN: 'X' }, out: { OUT: 'a' } },
      ],
    }),
  })
  const X = float(1)
  const outputs = await server.infer('e', { X, Z: float(10) })
  expect(values(outputs)).toEqual({ Y: 12, a: 1 })
  expect(outputs.a?.data).toBe(X.data)
})

test('steps that no wanted output needs are left out, those that a needed step needs are not', async () => {
  const { server } = await serve({
    echo,
    add,
    e: ensemble({
      inputs: ['X'],
      outputs: ['a', 'b', 'c'],
      steps: [
        { model: 'echo', in: { IN: 'X' }, out: { OUT: 'a' } },
        { model: 'add', in: { A: 'a', B: 'a' }, out: { OUT: 'b' } },
        { model: 'add', in: { A: 'b', B: 'X' }, out: { OUT: 'c' } },
      ],
    }),
  })
  const runs = (name: string) => server.model(name).statistics()[0]?.executionCount
  expect(values(await server.infer('e', { X: float(1) }, { outputs: ['b'] }))).toEqual({ b: 2 })
  expect([runs('echo'), runs('add')]).toEqual([1, 1])
  expect(values(await server.infer('e', { X: float(1) }, { outputs: ['c', 'a'] }))).toEqual({ a: 1, c: 3 })
  expect([runs('echo'), runs('add')]).toEqual([2, 3])
})

test('an input that nobody gave is not given to the steps either', async () => {
  const { server } = await serve({
    add,
    e: ensemble({
      inputs: ['X', 'Z?'],
      outputs: ['Y'],
      steps: [{ model: 'add', in: { A: 'X', B: 'Z' }, out: { OUT: 'Y' } }],
    }),
  })
  expect(values(await server.infer('e', { X: float(1), Z: float(2) }))).toEqual({ Y: 3 })
  expect(values(await server.infer('e', { X: float(1) }))).toEqual({ Y: 1 })
})

test('an ensemble in an ensemble', async () => {
  const { server } = await serve({
    first: echo,
    second: model('sum', { inputs: ['IN'], outputs: ['OUT'] }),
    inner: chain(),
    outer: ensemble({
      inputs: ['P'],
      outputs: ['Q'],
      steps: [
        { model: 'inner', in: { X: 'P' }, out: { Y: 'q' } },
        { model: 'inner', in: { X: 'q' }, out: { Y: 'Q' } },
      ],
    }),
  })
  expect(values(await server.infer('outer', { P: float(7) }))).toEqual({ Q: 7 })
  expect(server.model('second').statistics()[0]?.inferenceStats.success.count).toBe(2)
})

test('an error in an ensemble in an ensemble names both, and so does the log', async () => {
  const lines: string[] = []
  const logger = { ...silentLogger, warn: (_: object, line: string) => lines.push(line) }
  const outer = chain().replace('"first"', '"inner"').replaceAll('"IN"', '"X"').replaceAll('"OUT"', '"Y"')
  const { server, backend } = await serve(
    { first: echo, second: manual(), inner: chain(), outer: outer.replace('"second"', '"inner"') },
    { logger },
  )
  const answer = server.infer('outer', { X: float(7) })
  const { requests, finish } = await backend.next()
  requests[0]?.fail(new TritonError('INTERNAL', 'out of ink'))
  finish()
  await expect(answer).rejects.toMatchObject({
    code: 'INTERNAL',
    message: "in ensemble 'outer', in ensemble 'inner', out of ink",
  })
  expect(lines.slice(-2)).toEqual([
    "ensemble 'inner' step 2 'second': out of ink",
    "ensemble 'outer' step 1 'inner': in ensemble 'inner', out of ink",
  ])
})

test('a failing step: the caller hears the text, the cause names the step, and what runs beside it is cancelled', async () => {
  const { server, backend } = await serve({
    left: manual(),
    right: manual(),
    add,
    e: ensemble({
      inputs: ['X'],
      outputs: ['Y'],
      steps: [
        { model: 'left', in: { IN: 'X' }, out: { OUT: 'l' } },
        { model: 'right', in: { IN: 'X' }, out: { OUT: 'r' } },
        { model: 'add', in: { A: 'l', B: 'r' }, out: { OUT: 'Y' } },
      ],
    }),
  })
  const answer = server.model('e').request({ id: '7', inputs: [{ name: 'X', tensor: float(1) }] })
  const [left, right] = [await backend.next(), await backend.next()]
  right.requests[0]?.fail(new TritonError('UNAVAILABLE', 'no more paper'))
  right.finish()
  await expect(answer).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: "in ensemble 'e', no more paper",
    cause: { message: "ensemble 'e' step 2 'right': no more paper", cause: { message: 'no more paper' } },
  })
  expect(left.requests[0]?.isCancelled).toBe(true)
  left.finish()
  expect(server.model('e').statistics()[0]?.inferenceStats.fail.count).toBe(1)
  expect(server.model('left').statistics()[0]?.inferenceStats.fail.count).toBe(1)
  expect(server.model('add').statistics()[0]?.executionCount).toBe(0)
})

test('a caller that gives up cancels what runs for it', async () => {
  const { server, backend } = await serve({ first: manual(), second: echo, e: chain() })
  const abort = new AbortController()
  const answer = server.infer('e', { X: float(1) }, { signal: abort.signal })
  const execution = await backend.next()
  abort.abort()
  await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(execution.requests[0]?.isCancelled).toBe(true)
  execution.requests[0]?.respond({ outputs: { OUT: float(1) } })
  execution.finish()
  expect(server.model('second').statistics()[0]?.executionCount).toBe(0)
  await server.stop()
})

test('steps get what the caller said of its request', async () => {
  const priorities = 'dynamic_batching { priority_levels: 5 default_priority_level: 1 }'
  const { server, backend } = await serve({ first: manual(priorities), second: echo, e: chain() })
  const answer = server.infer(
    'e',
    { X: float(1) },
    {
      id: 'r1',
      correlationId: 5,
      sequenceStart: true,
      priority: 3,
      timeoutMicroseconds: 1000,
      parameters: { color: 'blue' },
    },
  )
  const execution = await backend.next()
  expect(execution.requests[0]).toMatchObject({
    id: 'r1',
    correlationId: 5n,
    sequenceStart: true,
    sequenceEnd: false,
    priority: 3,
    timeoutMicroseconds: 1000,
    parameters: { color: 'blue' },
  })
  execution.requests[0]?.respond({ outputs: { OUT: float(1) } })
  execution.finish()
  await answer
})

test('a step changes the sequence for what comes after it, and the response tells', async () => {
  const { server, backend } = await serve({ first: manual(), second: manual(), e: chain() })
  const answer = server.model('e').request({
    inputs: [{ name: 'X', tensor: float(1) }],
    correlationId: 5,
    sequenceStart: true,
  })
  const first = await backend.next()
  first.requests[0]?.respond({ outputs: { OUT: float(1) }, parameters: { sequence_id: 8, sequence_end: true } })
  first.finish()
  const second = await backend.next()
  expect(second.requests[0]).toMatchObject({ correlationId: 8n, sequenceStart: false, sequenceEnd: true })
  second.requests[0]?.respond({ outputs: { OUT: float(1) } })
  second.finish()
  expect((await answer).parameters).toEqual({ sequence_id: 8, sequence_start: false, sequence_end: true })
})

test('a step whose inputs come from different sequences goes on with that of the first', async () => {
  const lines: string[] = []
  const logger = { ...silentLogger, error: (_: object, line: string) => lines.push(line) }
  const steps = [
    { model: 'first', in: { IN: 'X' }, out: { OUT: 'a' } },
    { model: 'first', in: { IN: 'X' }, out: { OUT: 'b' } },
    { model: 'add', in: { A: 'a', B: 'b' }, out: { OUT: 'Y' } },
  ]
  const e = ensemble({ inputs: ['X'], outputs: ['Y'], steps })
  const { server, backend } = await serve({ first: manual(), add, e }, { logger })
  const answer = server.model('e').request({ inputs: [{ name: 'X', tensor: float(1) }] })
  for (const id of [8, 9]) {
    const { requests, finish } = await backend.next()
    requests[0]?.respond({ outputs: { OUT: float(id) }, parameters: { sequence_id: id } })
    finish()
  }
  expect(await answer).toMatchObject({ parameters: { sequence_id: 8 } })
  expect(lines).toEqual([
    "ensemble 'e' step 3 'add': its inputs belong to different sequences; correlation id '8' is used",
  ])
})

test('an ensemble has a reshape of its own', async () => {
  const e = ensemble({
    inputs: ['X:2'],
    outputs: ['Y:2'],
    steps: [{ model: 'm', in: { IN: 'X' }, out: { OUT: 'Y' } }],
    more: 'max_batch_size: 4',
  }).replaceAll('dims: 2', 'dims: 2 reshape { shape: [ 2, 1 ] }')
  const m = model('identity', { inputs: ['IN'], outputs: ['OUT'], more: 'max_batch_size: 4' })
  const { server } = await serve({ m: m.replaceAll('dims: 1', 'dims: [ 2, 1 ]'), e })
  const data = new Float32Array([1, 2])
  expect((await server.infer('e', { X: tensor('FP32', [1, 2], data) })).Y).toMatchObject({ shape: [1, 2], data })
})

test('a sequence parameter of the wrong type fails the request', async () => {
  const { server, backend } = await serve({ first: manual(), second: echo, e: chain() })
  const answer = server.infer('e', { X: float(1) })
  const { requests, finish } = await backend.next()
  requests[0]?.respond({ outputs: { OUT: float(1) }, parameters: { sequence_id: 1.5 } })
  finish()
  await expect(answer).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message:
      "in ensemble 'e', expected parameter 'sequence_id' to be TRITONSERVER_PARAMETER_INT or TRITONSERVER_PARAMETER_STRING",
  })
})

test('tensors get and lose a batch dimension of 1 between models with batching and without', async () => {
  const batching = model('identity', { inputs: ['IN:2'], outputs: ['OUT:2'], more: 'max_batch_size: 4' })
  const plain = model('identity', { inputs: ['IN:2'], outputs: ['OUT:2'] })
  const steps = ['batching', 'plain', 'batching'].map((model, i) => ({
    model,
    in: { IN: ['X', 'a', 'b'][i] as string },
    out: { OUT: ['a', 'b', 'Y'][i] as string },
  }))
  const { server } = await serve({
    batching,
    plain,
    one: ensemble({ inputs: ['X:2'], outputs: ['Y:2'], steps }),
    many: ensemble({ inputs: ['X:2'], outputs: ['Y:2'], steps, more: 'max_batch_size: 4' }),
  })
  const data = new Float32Array([1, 2])
  const item = await server.infer('one', { X: tensor('FP32', [2], data) })
  expect(item.Y).toMatchObject({ shape: [2], data })
  const batch = await server.infer('many', { X: tensor('FP32', [1, 2], data) })
  expect(batch.Y).toMatchObject({ shape: [1, 2], data })
  const two = server.infer('many', { X: tensor('FP32', [2, 2], new Float32Array(4)) })
  await expect(two).rejects.toThrow("in ensemble 'many', [request id: <id_unknown>] unexpected shape for input 'IN'")
})

test('an explanation tells of every step', async () => {
  const { server } = await serve({ first: echo, second: echo, e: chain() })
  const heard: Explanation[] = []
  await server.infer('e', { X: float(1) }, { onExplain: (explanation) => heard.push(explanation) })
  expect(heard[0]).toMatchObject({
    cacheHit: false,
    steps: [
      { number: 1, modelName: 'first', modelVersion: 1, explanation: { instance: 'first_0' } },
      { number: 2, modelName: 'second', modelVersion: 1, explanation: { instance: 'second_0' } },
    ],
  })
  expect(String(heard[0]).replace(/[\d.]+ ms/g, '0 ms')).toBe(
    [
      'waited 0 ms, ran 2 steps:',
      "  step 1 'first' version 1 waited 0 ms, ran alone because an instance was free, on first_0",
      "  step 2 'second' version 1 waited 0 ms, ran alone because an instance was free, on second_0",
    ].join('\n'),
  )
})

test('statistics: one execution, whose compute times are those of the steps', async () => {
  const { server } = await serve({ first: echo, second: echo, e: chain() })
  await server.infer('e', { X: float(1) })
  const [statistics] = server.model('e').statistics()
  const infer = (name: string) => server.model(name).statistics()[0]?.inferenceStats.computeInfer.ns ?? 0
  expect(statistics).toMatchObject({
    inferenceCount: 1,
    executionCount: 1,
    inferenceStats: { success: { count: 1 }, queue: { count: 1 }, computeInfer: { count: 1 } },
    batchStats: [{ batchSize: 1, computeInfer: { count: 1 } }],
    responseStats: {},
  })
  const sum = infer('first') + infer('second')
  expect(Math.abs((statistics?.inferenceStats.computeInfer.ns ?? 0) - sum)).toBeLessThanOrEqual(1)
})

import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { answer, config, input, started, withManual } from './fixtures/server-rig.ts'
import { Tensor, TritonError, tensor } from './index.ts'

describe('inference', () => {
  test('inputs in, outputs by name out', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    const { OUT } = await server.infer('echo', input())
    expect(OUT).toBeInstanceOf(Tensor)
    expect(OUT?.shape).toEqual([1, 2])
    expect([...(OUT?.data ?? [])]).toEqual([1, 2])
  })

  test('the long form tells model, version, id and parameters', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/3/': '' })
    const request = { id: 'r1', inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array(2)) }] }
    expect(await server.model('echo').request(request)).toMatchObject({
      modelName: 'echo',
      modelVersion: 3,
      id: 'r1',
      parameters: {},
    })
  })

  test('unknown models and versions are refused with the texts of Triton', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('nope', {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'nope' is not found",
    })
    await expect(server.infer('echo', input(), { version: 9 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'echo' version 9 is not found",
    })
  })

  test('requests run in order of arrival, one at a time on one instance', async () => {
    const { server, backend } = await withManual()
    const order: number[] = []
    const all = [1, 2, 3].map((n) => server.infer('m', input(), { id: String(n) }).then(() => order.push(n)))
    for (const n of [1, 2, 3]) {
      const { requests, finish } = await backend.next()
      expect(backend.waiting).toBe(0)
      expect(requests.map(({ id }) => id)).toEqual([String(n)])
      requests[0]?.respond(answer)
      finish()
    }
    await Promise.all(all)
    expect(order).toEqual([1, 2, 3])
  })

  test('as many requests run at the same time as there are instances', async () => {
    const { server, backend } = await withManual('instance_group { kind: KIND_CPU count: 2 }')
    const all = [1, 2, 3, 4].map(() => server.infer('m', input()))
    const running = [await backend.next(), await backend.next(), await backend.next()]
    expect(new Set(running.map(({ instance }) => instance))).toEqual(new Set(['m_0_0', 'm_0_1', 'm_1_0']))
    expect(backend.waiting).toBe(0)
    for (const { requests, finish } of running) {
      requests[0]?.respond(answer)
      finish()
    }
    const last = await backend.next()
    last.requests[0]?.respond(answer)
    last.finish()
    expect(await Promise.all(all)).toHaveLength(4)
  })

  test('what the backend throws fails the request', async () => {
    const { server, backend } = await withManual()
    const failing = server.infer('m', input())
    ;(await backend.next()).fail(new TritonError('UNAVAILABLE', 'device lost'))
    await expect(failing).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'device lost' })
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: { count: 0 }, fail: { count: 1 } })
    expect(server.statistics('m')[0]?.executionCount).toBe(0)
  })

  test('a backend that forgets a request does not leave its caller waiting', async () => {
    const { server, backend } = await withManual()
    const forgotten = server.infer('m', input())
    ;(await backend.next()).finish()
    await expect(forgotten).rejects.toThrow("instance 'm_0_0' returned without answering the request")
  })

  test('a request that the backend keeps may be answered later', async () => {
    const { server, backend } = await withManual()
    const kept = server.infer('m', input())
    const { requests, finish } = await backend.next()
    requests[0]?.keep()
    finish()
    requests[0]?.respond(answer)
    expect((await kept).OUT?.shape).toEqual([1, 2])
    expect(() => requests[0]?.respond(answer)).toThrow('while it is RELEASED')
  })

  test('an output that the model does not have is an error of the backend', async () => {
    const { server, backend } = await withManual()
    const wrong = server.infer('m', input())
    const { requests, fail } = await backend.next()
    try {
      requests[0]?.respond({ outputs: { NO: answer.outputs.OUT } })
    } catch (error) {
      fail(error)
    }
    await expect(wrong).rejects.toThrow("unexpected inference output 'NO' for model 'm'")
  })

  test('reshape is undone for the caller', async () => {
    const files = {
      'r/config.pbtxt': `backend: "identity"
        input { name: "IN" data_type: TYPE_FP32 dims: [ -1, 2 ] reshape { shape: [ -1, 1, 2 ] } }
        output { name: "OUT" data_type: TYPE_FP32 dims: [ -1, 2 ] reshape { shape: [ -1, 1, 2 ] } }`,
      'r/1/': '',
    }
    const server = await started(files)
    const { OUT } = await server.infer('r', { IN: tensor('FP32', [3, 2], new Float32Array(6)) })
    expect(OUT?.shape).toEqual([3, 2])
  })

  test('ten thousand requests at once to an inline backend', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    const all = await Promise.all(Array.from({ length: 10_000 }, () => server.infer('echo', input())))
    expect(all).toHaveLength(10_000)
    expect(server.statistics('echo')[0]?.inferenceCount).toBe(10_000)
  })
})

describe('cancellation', () => {
  test('a waiting request leaves the queue', async () => {
    const { server, backend } = await withManual()
    const running = server.infer('m', input())
    const abort = new AbortController()
    const waiting = server.infer('m', input(), { signal: abort.signal })
    abort.abort(new Error('not needed'))
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED', cause: new Error('not needed') })
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    finish()
    await running
    expect(backend.waiting).toBe(0)
    expect(server.metrics()).toContain('nv_inference_request_failure{model="m",reason="CANCELED",version="1"} 1')
  })

  test('a running request answers its caller at once and tells the backend; the instance stays taken', async () => {
    const { server, backend } = await withManual()
    const abort = new AbortController()
    const cancelled = server.infer('m', input(), { signal: abort.signal })
    const next = server.infer('m', input())
    const { requests, finish } = await backend.next()
    const [request] = requests
    const { signal } = request as NonNullable<typeof request>
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(request?.isCancelled).toBe(true)
    expect(signal.aborted).toBe(true)
    expect(backend.waiting).toBe(0)
    request?.respond(answer)
    finish()
    const second = await backend.next()
    second.requests[0]?.respond(answer)
    second.finish()
    await next
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: { count: 1 }, fail: { count: 1 } })
  })

  test('an answer that the caller has is not cancelled any more', async () => {
    const { server, backend } = await withManual()
    const abort = new AbortController()
    const answered = server.infer('m', input(), { signal: abort.signal })
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    await answered
    abort.abort()
    expect(requests[0]?.isCancelled).toBe(false)
    finish()
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: { count: 1 }, fail: { count: 0 } })
  })

  test('one signal may serve any number of requests', async () => {
    const { server, backend } = await withManual()
    const { signal } = new AbortController()
    const all = Array.from({ length: 50 }, () => server.infer('m', input(), { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const _ of all) {
      const { requests, finish } = await backend.next()
      requests[0]?.respond(answer)
      finish()
    }
    await Promise.all(all)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test.each([1.5, -1, Number.NaN, 2n ** 64n])('correlation id %s is refused', async (correlationId) => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('echo', input(), { correlationId })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: `correlation id ${correlationId} is not a string or an exact integer from 0 to 2^64 - 1`,
    })
  })

  test('an aborted signal is refused before anything runs', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('echo', input(), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('decoupled models', () => {
  const decoupled = 'model_transaction_policy { decoupled: true }'

  test('responses stream until the end', async () => {
    const { server, backend } = await withManual(decoupled)
    const seen: number[] = []
    const reading = (async () => {
      for await (const { OUT } of server.inferStream('m', input())) seen.push(OUT?.data[0] as number)
    })()
    const { requests, finish } = await backend.next()
    for (const n of [1, 2, 3]) {
      requests[0]?.respond({ outputs: { OUT: tensor('FP32', [1, 2], new Float32Array([n, n])) } }, { final: false })
    }
    requests[0]?.end()
    finish()
    await reading
    expect(seen).toEqual([1, 2, 3])
  })

  test('leaving the loop cancels the request', async () => {
    const { server, backend } = await withManual(decoupled)
    const reading = (async () => {
      for await (const _ of server.inferStream('m', input())) break
    })()
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer, { final: false })
    await reading
    expect(requests[0]?.isCancelled).toBe(true)
    requests[0]?.end()
    finish()
  })

  test('leaving while a response is waited for cancels the request', async () => {
    const { server, backend } = await withManual(decoupled)
    const stream = server.model('m').inferStream(input())
    const waiting = stream.next()
    const { requests, finish } = await backend.next()
    await stream.return?.()
    expect(await waiting).toMatchObject({ done: true })
    expect(requests[0]?.isCancelled).toBe(true)
    requests[0]?.end()
    finish()
  })

  test('an error ends the stream', async () => {
    const { server, backend } = await withManual(decoupled)
    const stream = server.inferStream('m', input())[Symbol.asyncIterator]()
    const first = stream.next()
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer, { final: false })
    requests[0]?.fail(new TritonError('INTERNAL', 'broke'))
    finish()
    expect((await first).done).toBe(false)
    await expect(stream.next()).rejects.toThrow('broke')
    expect(await stream.next()).toMatchObject({ done: true })
  })

  test('infer refuses', async () => {
    const { server } = await withManual(decoupled)
    await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describe('model handles', () => {
  test('labels, configuration and metadata', async () => {
    const server = await started({
      'a/config.pbtxt': config().replace('name: "OUT"', 'name: "OUT" label_filename: "labels.txt"'),
      'a/labels.txt': 'cat\ndog\n',
      'a/1/': '',
    })
    const model = server.model('a')
    expect([model.classLabel('OUT', 0), model.classLabel('OUT', 1), model.classLabel('OUT', 2)]).toEqual([
      'cat',
      'dog',
      '',
    ])
    expect(model.metadata()).toEqual({
      name: 'a',
      versions: ['1'],
      platform: 'identity',
      inputs: [{ name: 'IN', datatype: 'FP32', shape: [-1, 2] }],
      outputs: [{ name: 'OUT', datatype: 'FP32', shape: [-1, 2] }],
    })
    expect(model.configJson()).toMatchObject({ name: 'a', backend: 'identity', max_batch_size: 4, runtime: '' })
  })

  test.each([
    ['label_filename: "none.txt"', /failed to open text file for read/],
    [
      'label_filename: "../labels.txt"',
      /label file path '\.\.\/labels\.txt' for output 'OUT' in model 'a' is outside model directory/,
    ],
  ])('%s fails the load', async (field, text) => {
    await expect(
      started({ 'a/config.pbtxt': config().replace('name: "OUT"', `name: "OUT" ${field}`), 'a/1/': '' }),
    ).rejects.toThrow(text)
  })
})

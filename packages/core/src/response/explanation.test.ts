import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, started, withManual } from '../fixtures/server-rig.ts'
import { type InferRequest, localCache, tensor } from '../index.ts'
import { Explanation } from './explanation.ts'

const request = (id: string, items = 1): InferRequest => ({
  id,
  inputs: [{ name: 'IN', tensor: tensor('FP32', [items, 2], new Float32Array(2 * items)) }],
  explain: true,
})

const delay = (milliseconds: number): string =>
  `dynamic_batching { max_queue_delay_microseconds: ${milliseconds * 1000} }`

describe('an explanation', () => {
  test('tells how long a request waited, with whom it ran, where and why', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual(delay(1), { clock })
    const model = server.model('m')
    const first = model.request(request('a'))
    await clock.advance(0.25)
    const second = model.request(request('b', 2))
    await clock.advance(0.75)
    const { requests, marks, finish } = await backend.next()
    await clock.advance(0.5)
    marks.computeStart()
    await clock.advance(2)
    marks.computeEnd()
    await clock.advance(0.125)
    for (const one of requests) one.respond(answer)
    finish()
    const { explanation } = await second
    expect(explanation).toEqual({
      queue: 0.75,
      computeInput: 0.5,
      computeInfer: 2,
      computeOutput: 0.125,
      cacheHit: false,
      batch: { requests: 2, items: 3, position: 1, others: ['a'] },
      rule: 'delay over',
      instance: 'm_0_0',
    })
    expect(String(explanation)).toBe(
      'waited 0.75 ms, ran with 1 other as a batch of 3 because the delay was over, on m_0_0',
    )
    expect((await first).explanation).toMatchObject({ queue: 1, batch: { position: 0, others: ['b'] } })
  })

  test('of an answer of the response cache says so', async () => {
    const files = { 'm/config.pbtxt': config('response_cache { enable: true }'), 'm/1/': '' }
    const server = await started(files, { cache: localCache({ size: 1e6 }), clock: virtualClock() })
    const first = await server.model('m').request(request('a'))
    expect(first.explanation).toMatchObject({ cacheHit: false, rule: 'instance free' })
    const second = await server.model('m').request(request('b'))
    expect(second.explanation).toMatchObject({ cacheHit: true, rule: undefined, instance: undefined })
    expect(String(second.explanation)).toBe('waited 0 ms, answered from the response cache')
  })

  test('is not there when nobody asks', async () => {
    const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' })
    const { explain: _, ...quiet } = request('a')
    expect(await server.model('m').request(quiet)).not.toHaveProperty('explanation')
  })

  test('comes with infer by a callback, before the answer', async () => {
    const server = await started({ 'm/config.pbtxt': config('instance_group { kind: KIND_CPU count: 1 }'), 'm/1/': '' })
    const heard: string[] = []
    await server.infer('m', input(), { onExplain: (explanation) => heard.push(String(explanation)) })
    expect(heard).toEqual([
      expect.stringMatching(/^waited [\d.]+ ms, ran alone because an instance was free, on m_0_0$/),
    ])
  })

  test('comes with every response of a stream, and what the callback throws ends the stream alone', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('model_transaction_policy { decoupled: true }', { clock })
    const heard: number[] = []
    const stream = server.model('m').inferStream(input(), {
      onExplain: ({ computeInfer }) => {
        heard.push(computeInfer)
        if (heard.length === 2) throw new Error('enough')
      },
    })
    const { requests, finish } = await backend.next()
    await clock.advance(3)
    requests[0]?.respond(answer, { final: false })
    await clock.advance(3)
    requests[0]?.respond(answer, { final: false })
    expect((await stream.next()).done).toBe(false)
    await expect(stream.next()).rejects.toThrow('enough')
    expect(heard).toEqual([3, 6])
    expect(requests[0]?.isCancelled).toBe(true)
    requests[0]?.end()
    finish()
  })
})

describe('the reason', () => {
  test.each([
    ['full', 'it was full'],
    ['preferred size', 'that is a preferred size'],
    ['delay over', 'the delay was over'],
    ['instance free', 'an instance was free'],
    ['shape change', 'the next request had other shapes or inputs'],
    ['custom batching', 'the custom batching closed it'],
    ['slot utilization', 'enough sequences had a request'],
  ] as const)('%s', (rule, reason) => {
    const batch = { requests: 3, items: 3, position: 0, others: ['b', 'c'] }
    const times = { queue: 0.5, computeInput: 0, computeInfer: 0, computeOutput: 0 }
    const explanation = new Explanation({ ...times, execution: { batch, instance: 'm_0', rule } })
    expect(explanation.toString()).toBe(`waited 0.5 ms, ran with 2 others as a batch of 3 because ${reason}, on m_0`)
  })

  test('a hit of the response cache has none', () => {
    const explanation = Explanation.ofCacheHit(0.1234567)
    expect(explanation).toMatchObject({ cacheHit: true, queue: 0.1234567, batch: undefined, rule: undefined })
    expect(`${explanation}`).toBe('waited 0.123 ms, answered from the response cache')
  })
})

import { setImmediate } from 'node:timers/promises'
import { echoBackend, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, started, withManual } from '../fixtures/server-rig.ts'
import { type GpuMetrics, type Server, TritonError } from '../index.ts'

const cached = config('response_cache { enable: true }')

async function collect(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const linesOf = (server: Server, name: string): string[] =>
  server
    .metrics()
    .split('\n')
    .filter((line) => line.startsWith(name))

describe('the families of Triton', () => {
  test('tell how long the load took, in seconds', async () => {
    const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { clock: virtualClock() })
    expect(linesOf(server, 'nv_model_load')).toEqual(['nv_model_load_duration_secs{model="m",version="1"} 0'])
  })

  test('stay at 0 without counter_latencies, and those of durations are not there', async () => {
    const metrics = { counterLatencies: false }
    const server = await started({ 'm/config.pbtxt': cached, 'm/1/': '' }, { metrics })
    await server.infer('m', input())
    expect(linesOf(server, 'nv_inference_request_success')).toEqual([
      'nv_inference_request_success{model="m",version="1"} 0',
    ])
    expect(linesOf(server, 'nv_inference_request_failure')).toHaveLength(4)
    expect(server.metrics()).not.toMatch(/duration_us|nv_cache/)
    expect(server.statistics('m')[0]?.inferenceCount).toBe(1)
  })

  test('have the first response in whole milliseconds, in the buckets of the model', async () => {
    const clock = virtualClock()
    const family = 'nv_inference_first_response_histogram_ms'
    const buckets = `model_metrics { metric_control {
      metric_identifier { family: "${family}" } histogram_options { buckets: [ 10, 2.5 ] } } }`
    const model = `${buckets} model_transaction_policy { decoupled: true }`
    const { server, backend } = await withManual(model, { clock, metrics: { histogramLatencies: true } })
    for (const milliseconds of [2.6, 11]) {
      const pending = collect(server.inferStream('m', input()))
      const { requests, finish } = await backend.next()
      await clock.advance(milliseconds)
      requests[0]?.respond(answer, { final: false })
      await clock.advance(50)
      requests[0]?.respond(answer)
      finish()
      await pending
    }
    expect(linesOf(server, family)).toEqual([
      `${family}_bucket{model="m",version="1",le="2.5"} 1`,
      `${family}_bucket{model="m",version="1",le="10"} 1`,
      `${family}_bucket{model="m",version="1",le="+Inf"} 2`,
      `${family}_sum{model="m",version="1"} 13`,
      `${family}_count{model="m",version="1"} 2`,
    ])
  })

  test('have the first response of decoupled models alone, of which an error may be the first', async () => {
    const clock = virtualClock()
    const family = 'nv_inference_first_response_histogram_ms'
    const metrics = { histogramLatencies: true }
    const plain = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { metrics })
    expect(linesOf(plain, family)).toEqual([])
    const { server, backend } = await withManual('model_transaction_policy { decoupled: true }', { clock, metrics })
    const pending = collect(server.inferStream('m', input()))
    const { requests, finish } = await backend.next()
    await clock.advance(300)
    requests[0]?.fail(new TritonError('INTERNAL', 'no answer'))
    finish()
    await expect(pending).rejects.toThrow('no answer')
    expect(linesOf(server, `${family}_sum`)).toEqual([`${family}_sum{model="m",version="1"} 300`])
    expect(linesOf(server, 'triton_ts_first_response')).toEqual([])
  })

  test('have summaries when they are wanted, of whole requests only without the cache', async () => {
    const metrics = { summaryLatencies: true, summaryQuantiles: [{ quantile: 0.5, error: 0.05 }] }
    const files = { 'm/config.pbtxt': config(), 'm/1/': '', 'c/config.pbtxt': cached, 'c/1/': '' }
    const server = await started(files, { clock: virtualClock(), metrics, backends: [echoBackend()] })
    await server.infer('m', input())
    expect(linesOf(server, 'nv_inference_request_summary_us')).toEqual([
      'nv_inference_request_summary_us{model="m",version="1",quantile="0.5"} 0',
      'nv_inference_request_summary_us_sum{model="m",version="1"} 0',
      'nv_inference_request_summary_us_count{model="m",version="1"} 1',
    ])
    expect(linesOf(server, 'nv_cache_hit_summary_per_model')).toEqual([
      'nv_cache_hit_summary_per_model{model="c",version="1",quantile="0.5"} NaN',
      'nv_cache_hit_summary_per_model_sum{model="c",version="1"} 0',
      'nv_cache_hit_summary_per_model_count{model="c",version="1"} 0',
    ])
  })

  test('count what ran on a GPU under its UUID, and the rest under the model alone', async () => {
    const gpuMetrics: GpuMetrics = {
      open: async () => [{ id: 0, uuid: 'GPU-7', name: 'A' }],
      read: async () => [],
    }
    const files = { 'm/config.pbtxt': config('instance_group { kind: KIND_GPU count: 1 }'), 'm/1/': '' }
    const server = await started(files, { gpuMetrics, gpus: [0], clock: virtualClock() })
    await server.infer('m', input())
    expect(linesOf(server, 'nv_inference_request_success')).toEqual([
      'nv_inference_request_success{model="m",version="1"} 0',
      'nv_inference_request_success{gpu_uuid="GPU-7",model="m",version="1"} 1',
    ])
    expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 1, executionCount: 1 })
    expect(server.snapshot().models[0]?.batchSize.counts[0]).toBe(1)
    expect(linesOf(server, 'triton_ts_batch_size_count')).toEqual([
      'triton_ts_batch_size_count{gpu_uuid="GPU-7",model="m",version="1"} 1',
    ])
  })

  test('have a label for each tag; of keys that no label can tell apart the first counts', async () => {
    const tags = ['team', 'a-b', 'a.b', '_name__'].map((key, i) => `metric_tags { key: "${key}" value: "${i}\\"" }`)
    const server = await started({ 'm/config.pbtxt': config(tags.join('\n')), 'm/1/': '' })
    expect(linesOf(server, 'nv_inference_count')).toEqual([
      'nv_inference_count{_a_b="1\\"",_name__="3\\"",_team="0\\"",model="m",version="1"} 0',
    ])
  })

  test('vanish with their model', async () => {
    const server = await started(
      { 'm/config.pbtxt': config(), 'm/1/': '' },
      { modelControl: 'explicit', loadModels: ['m'], metrics: { pinnedMemoryPool: 1024 } },
    )
    await server.unload('m', { waitUntilUnloaded: true })
    const rest = ['nv_pinned_memory_pool_total_bytes 1024', 'nv_pinned_memory_pool_used_bytes 0']
    expect(linesOf(server, 'nv_')).toEqual(rest)
    expect(server.metrics()).not.toContain('model=')
  })
})

describe('beyond Triton', () => {
  test('a request is in the histograms of its durations, a batch in that of sizes', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('', { clock })
    const pending = server.infer('m', input())
    const { requests, marks, finish } = await backend.next()
    await clock.advance(3)
    marks.computeStart()
    await clock.advance(40)
    requests[0]?.respond(answer)
    finish()
    await pending
    const lines = server.metrics().split('\n')
    const series = (name: string, le: string) => `triton_ts_${name}_bucket{model="m",version="1",le="${le}"}`
    for (const name of ['request_duration_seconds', 'compute_duration_seconds']) {
      expect(lines).toContain(`${series(name, '0.0256')} 0`)
      expect(lines).toContain(`${series(name, '0.0512')} 1`)
    }
    expect(lines).toContain(`${series('queue_duration_seconds', '0.0001')} 1`)
    expect(lines).toContain(`${series('batch_size', '1')} 1`)
    expect(lines).toContain('triton_ts_request_duration_seconds_sum{model="m",version="1"} 0.043')
    expect(server.snapshot().models[0]).toMatchObject({
      name: 'm',
      version: 1,
      pending: 0,
      inflight: 0,
      instances: { busy: 0, total: 1 },
      isDecoupled: false,
      requestDuration: { sum: 0.043 },
      statistics: { inferenceCount: 1 },
    })
  })

  test('a decoupled model has its responses, their rate, and the time to the first', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('model_transaction_policy { decoupled: true }', { clock })
    const words = server.inferStream('m', input())
    const { requests, finish } = await backend.next()
    await clock.advance(300)
    requests[0]?.respond(answer, { final: false })
    await clock.advance(3700)
    requests[0]?.respond(answer, { final: false })
    requests[0]?.end()
    finish()
    for await (const _ of words);
    const labels = '{model="m",version="1"}'
    expect(linesOf(server, 'triton_ts_responses')).toEqual([
      `triton_ts_responses_total${labels} 2`,
      // 2 in 4 seconds, of a mean of 10.
      `triton_ts_responses_per_second${labels} ${0.5 * (1 - Math.exp(-0.4))}`,
    ])
    expect(linesOf(server, 'triton_ts_first_response_seconds_')).toContain(
      `triton_ts_first_response_seconds_sum${labels} 0.3`,
    )
  })

  test('none of it is there where it is not wanted', async () => {
    const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { metrics: { ownFamilies: false } })
    await server.infer('m', input())
    expect(server.metrics()).not.toContain('triton_ts_')
  })
})

describe('saturation', () => {
  const saturation = (server: Server): number => Number(linesOf(server, 'triton_ts_saturation')[0]?.split(' ')[1])

  /** What is left of a mean of 5 intervals after some. */
  const decay = (intervals: number): number => Math.exp(-intervals / 5)

  test('is the share of the time that instances are busy, with weights that decay', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('', { clock, metrics: { interval: 1000 } })
    await clock.advance(500)
    const pending = server.infer('m', input())
    const { requests, finish } = await backend.next()
    await clock.advance(250)
    expect(saturation(server)).toBe(0)
    requests[0]?.respond(answer)
    finish()
    await pending
    await clock.advance(250)
    const mean = 0.25 * (1 - decay(1))
    expect(saturation(server)).toBeCloseTo(mean)
    await clock.advance(900)
    expect(saturation(server)).toBeCloseTo(mean)
    await clock.advance(100)
    expect(saturation(server)).toBeCloseTo(mean * decay(1))
    await clock.advance(100_000)
    expect(saturation(server)).toBeCloseTo(0)
  })

  test('is the same for one who asks seldom, whoever else asks in between', async () => {
    const seen: number[] = []
    for (const isAskedByOthers of [false, true]) {
      const clock = virtualClock()
      const { server, backend } = await withManual('', { clock, metrics: { interval: 1000 } })
      const pending = server.infer('m', input())
      const { requests, finish } = await backend.next()
      for (let second = 0; second < 15; second++) {
        await clock.advance(1000)
        if (isAskedByOthers) saturation(server)
      }
      seen.push(saturation(server))
      requests[0]?.respond(answer)
      finish()
      await pending
    }
    expect(seen[0]).toBeCloseTo(1 - decay(15))
    expect(seen[1]).toBeCloseTo(1 - decay(15))
  })

  test('counts an instance as busy until its backend is through, also after all answers', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('', { clock, metrics: { interval: 1000 } })
    const pending = server.infer('m', input())
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    await pending
    await clock.advance(1000)
    expect(saturation(server)).toBeCloseTo(1 - decay(1))
    await clock.advance(500)
    finish()
    await setImmediate()
    await clock.advance(500)
    expect(saturation(server)).toBeCloseTo((1 - decay(1)) * decay(1) + 0.5 * (1 - decay(1)))
  })

  test('counts what waits in full batches, and is never above 1', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('dynamic_batching {}', { clock, metrics: { interval: 1000 } })
    const pending = [server.infer('m', input())]
    const running = await backend.next()
    for (let i = 0; i < 40; i++) pending.push(server.infer('m', input()))
    await clock.advance(1000)
    expect(saturation(server)).toBeCloseTo(1 - decay(1))
    running.requests[0]?.respond(answer)
    running.finish()
    for (let done = 1; done < 41; ) {
      const { requests, finish } = await backend.next()
      for (const request of requests) request.respond(answer)
      done += requests.length
      finish()
      await setImmediate()
    }
    await Promise.all(pending)
    await clock.advance(1000)
    // 40 requests are 10 batches; at the beginning all, now none: 5 for one instance.
    expect(saturation(server)).toBeCloseTo(1 - decay(2))
    await clock.advance(1000)
    expect(saturation(server)).toBeCloseTo((1 - decay(2)) * decay(1))
  })
})

test.each([
  [{ summaryQuantiles: [{ quantile: 1, error: 0.1 }] }, 'quantile and an error between 0 and 1, got 1:0.1'],
  [{ interval: 0 }, 'metrics.interval must be more than 0 milliseconds, got 0'],
])('metrics %j are refused', async (metrics, text) => {
  await expect(started({}, { metrics })).rejects.toThrow(text)
})

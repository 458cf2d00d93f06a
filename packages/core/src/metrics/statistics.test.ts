import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { config, started, withManual } from '../fixtures/server-rig.ts'
import { tensor } from '../index.ts'
import { InferenceStats } from './inference-stats.ts'
import { statisticsSnapshot } from './statistics-snapshot.ts'

describe('statistics', () => {
  test('counts and durations on a virtual clock', async () => {
    const clock = virtualClock(1000)
    const { server, backend } = await withManual('', { clock })
    const infer = server.infer('m', {
      IN: [
        [1, 2],
        [3, 4],
      ],
    })
    const { requests, finish } = await backend.next()
    clock.advance(2)
    requests[0]?.respond({ outputs: { OUT: tensor('FP32', [2, 2], new Float32Array(4)) } })
    finish()
    await infer
    const count = (ns: number) => ({ count: 1, ns })
    expect(server.statistics('m')).toEqual([
      {
        name: 'm',
        version: '1',
        lastInference: 1002,
        inferenceCount: 2,
        executionCount: 1,
        inferenceStats: {
          success: count(2e6),
          fail: { count: 0, ns: 0 },
          queue: count(0),
          computeInput: count(0),
          computeInfer: count(2e6),
          computeOutput: count(0),
          cacheHit: { count: 0, ns: 0 },
          cacheMiss: { count: 0, ns: 0 },
        },
        responseStats: {},
        batchStats: [{ batchSize: 2, computeInput: count(0), computeInfer: count(2e6), computeOutput: count(0) }],
        memoryUsage: [],
      },
    ])
    expect(server.metrics()).toContain('nv_inference_request_duration_us{model="m",version="1"} 2000\n')
    expect(server.metrics()).toContain('nv_inference_count{model="m",version="1"} 2\n')
  })

  test('a refused request is not counted', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    await expect(server.infer('echo', {})).rejects.toThrow('expected 1 inputs but got 0')
    expect(server.statistics('echo')[0]?.inferenceStats.fail.count).toBe(0)
  })

  test('without a name there are those of every version that is ready', async () => {
    const files = { 'b/config.pbtxt': config('version_policy { all {} }'), 'b/1/': '', 'b/10/': '', 'b/2/': '' }
    const more = { 'a/config.pbtxt': config(), 'a/1/': '', 'gone/config.pbtxt': config(), 'gone/1/': '' }
    const options = { modelControl: 'explicit', loadModels: ['a', 'b', 'gone'] } as const
    const server = await started({ ...files, ...more }, options)
    await server.unload('gone')
    expect(server.statistics().map(({ name, version }) => `${name} ${version}`)).toEqual(['a 1', 'b 1', 'b 2', 'b 10'])
    expect(server.statistics('b', 2).map(({ version }) => version)).toEqual(['2'])
  })

  test('unknown models are refused', async () => {
    const server = await started({ 'echo/config.pbtxt': config(), 'echo/1/': '' })
    expect(() => server.statistics('nope')).toThrow("requested model 'nope' is not available")
    expect(() => server.statistics('echo', 9)).toThrow("requested model version is not available for model 'echo'")
  })

  test('of a cache hit the queue time ends where the lookup begins', () => {
    const stats = new InferenceStats()
    stats.recordCacheHit({ start: 1, lookupStart: 3, lookupEnd: 7, end: 15 })
    expect(statisticsSnapshot(stats, 'm', 1)).toMatchObject({
      inferenceCount: 0,
      executionCount: 0,
      inferenceStats: {
        success: { count: 1, ns: 14e6 },
        queue: { count: 1, ns: 2e6 },
        computeInfer: { count: 0, ns: 0 },
        cacheHit: { count: 1, ns: 4e6 },
      },
    })
  })

  test('metric tags become labels', async () => {
    const server = await started({ 'a/config.pbtxt': config('metric_tags { key: "team" value: "x\\"y" }'), 'a/1/': '' })
    expect(server.metrics()).toContain('nv_inference_count{_team="x\\"y",model="a",version="1"} 0')
  })

  test('a metric tag whose name is no label name spoils nothing', async () => {
    const tags = 'metric_tags { key: "a-b=\\"1\\"}\\n" value: "x" }'
    const server = await started({ 'a/config.pbtxt': config(tags), 'a/1/': '' })
    expect(server.metrics()).toContain('nv_inference_count{_a_b__1___="x",model="a",version="1"} 0\n')
  })
})

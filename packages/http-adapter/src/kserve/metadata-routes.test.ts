import { describe, expect, test } from 'vitest'
import { errorOf, useTestClient } from '../test-client.ts'

const client = useTestClient()
const { call } = client

describe('health, metadata, configuration and statistics', () => {
  test('live, ready and model ready are empty', async () => {
    for (const path of [
      '/v2/health/live',
      '/v2/health/ready',
      '/v2/models/fp32/ready',
      '/v2/models/fp32/versions/1/ready',
    ]) {
      const response = await call(path)
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    expect(await errorOf(call('/v2/models/nope/ready'))).toEqual([400, 'Model version not ready'])
    expect(await errorOf(call('/v2/models/fp32/versions/99999999999999999999/ready'))).toEqual([
      400,
      "failed to get model version from specified version string '99999999999999999999' (details: stol), version should be an integral value > 0",
    ])
  })

  test('metadata and configuration', async () => {
    expect(await (await call('/v2')).json()).toEqual(client.fixture.server.metadata())
    expect(await (await call('/v2/models/fp32')).json()).toEqual({
      name: 'fp32',
      versions: ['1'],
      platform: 'identity',
      inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [-1, -1] }],
      outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: [-1, -1] }],
    })
    expect(await (await call('/v2/models/fp32/versions/1/config')).json()).toMatchObject({
      name: 'fp32',
      max_batch_size: 8,
    })
    expect(await errorOf(call('/v2/models/fp32/versions/9'))).toEqual([
      404,
      "Request for unknown model: 'fp32' version 9 is not found",
    ])
  })

  test('statistics of the responses of a decoupled model', async () => {
    for await (const _ of client.fixture.server.inferStream('stream', { INPUT0: [1] }));
    const { model_stats } = (await (await call('/v2/models/stream/stats')).json()) as {
      model_stats: { response_stats: Record<string, Record<string, { count: number }>> }[]
    }
    const stats = model_stats[0]?.response_stats['0'] ?? {}
    expect(Object.entries(stats).map(([name, { count }]) => [name, count])).toEqual([
      ['compute_infer', 1],
      ['compute_output', 1],
      ['success', 1],
      ['fail', 0],
      ['empty_response', 0],
      ['cancel', 0],
    ])
  })

  test('statistics of one and of all', async () => {
    const one = (await (await call('/v2/models/fp32/stats')).json()) as { model_stats: { name: string }[] }
    expect(one.model_stats.map(({ name }) => name)).toEqual(['fp32'])
    const all = (await (await call('/v2/models/stats')).json()) as { model_stats: { name: string }[] }
    expect(all.model_stats.length).toBeGreaterThan(10)
    expect(await errorOf(call('/v2/models/nope/stats'))).toEqual([400, "requested model 'nope' is not available"])
  })
})

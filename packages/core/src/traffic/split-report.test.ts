import { describe, expect, test } from 'vitest'
import { localCache, type Server, type ServerOptions } from '../index.ts'
import { request, share, splitServer, versionFor } from './fixtures/split-rig.ts'

const split = (weights: Record<number, number>): ServerOptions => ({ trafficSplit: { m: { weights } } })

describe('metrics', () => {
  const lines = (server: Server): string[] =>
    server
      .metrics()
      .split('\n')
      .filter((line) => line.includes('triton_ts_traffic'))

  test('tell weights and requests of models with a split', async () => {
    const server = await splitServer({ ...split({ 1: 95, 2: 5 }) })
    await share(server, 20)
    await server.model('m', 2).request(request())
    await versionFor(server, { trafficSplit: { 2: 1 } })
    expect(lines(server)).toEqual([
      '# HELP triton_ts_traffic_split_weight Weight of a model version in the traffic split of its model',
      '# TYPE triton_ts_traffic_split_weight gauge',
      'triton_ts_traffic_split_weight{model="m",version="1"} 95',
      'triton_ts_traffic_split_weight{model="m",version="2"} 5',
      '# HELP triton_ts_traffic_split_requests_total Number of requests that the traffic split of their model gave to a model version',
      '# TYPE triton_ts_traffic_split_requests_total counter',
      'triton_ts_traffic_split_requests_total{model="m",version="1"} 19',
      'triton_ts_traffic_split_requests_total{model="m",version="2"} 1',
    ])
  })

  test('go on counting when the weights change, and leave with the split', async () => {
    const server = await splitServer(split({ 1: 1 }))
    await share(server, 3)
    await server.setTrafficSplit('m', { weights: { 2: 1 } })
    await share(server, 4)
    expect(lines(server).filter((line) => !line.startsWith('#'))).toEqual([
      'triton_ts_traffic_split_weight{model="m",version="2"} 1',
      'triton_ts_traffic_split_requests_total{model="m",version="1"} 3',
      'triton_ts_traffic_split_requests_total{model="m",version="2"} 4',
    ])
    await server.setTrafficSplit('m', undefined)
    expect(lines(server)).toEqual([])
  })
})

describe('an explanation', () => {
  const explained = async (server: Server, more: object = {}): Promise<string> => {
    const { explanation } = await server.model('m').request(request({ explain: true, ...more }))
    return String(explanation).replace(/waited [\d.]+ ms, ran .*$/, '...')
  }

  test('begins with the split', async () => {
    const server = await splitServer(split({ 1: 10, 2: 90 }))
    expect(await explained(server)).toBe('split 90 of 100: ...')
    await server.setTrafficSplit('m', { weights: { 1: 10, 3: 90 } })
    expect(await explained(server)).toBe('split 10 of 10: ...')
    expect(await explained(server, { stickyKey: 'user-42' })).toBe("split 10 of 10, key 'user-42': ...")
    expect(await explained(server, { parameters: { sticky_key: 7 } })).toBe("split 10 of 10, key '7': ...")
    expect(await explained(server, { correlationId: 7 })).toBe('split 10 of 10, sequence 7: ...')
    expect(await explained(server, { trafficSplit: { 2: 3 } })).toBe('split 3 of 3: ...')
  })

  test('comes in every form, for a hit of the cache, too', async () => {
    const server = await splitServer(
      { ...split({ 1: 1 }), cache: localCache({ size: 1e6 }) },
      'response_cache { enable: true }',
    )
    const heard: unknown[] = []
    const onExplain = ({ cacheHit, split }: { cacheHit: boolean; split?: unknown }) => heard.push([cacheHit, split])
    await server.infer('m', { IN: [1, 2] }, { onExplain, stickyKey: 'u' })
    for await (const _ of server.inferStream('m', { IN: [1, 2] }, { onExplain }));
    const turn = { weight: 1, total: 1, key: undefined, sequence: undefined }
    expect(heard).toEqual([
      [false, { ...turn, key: 'u' }],
      [true, turn],
    ])
  })

  test('says nothing of it without a split, and for a request that names its version', async () => {
    const plain = await splitServer()
    expect(await explained(plain, { stickyKey: 'u' })).toBe('...')
    const server = await splitServer(split({ 1: 1 }))
    const { explanation } = await server.model('m', 1).request(request({ explain: true }))
    expect(explanation?.split).toBeUndefined()
  })
})

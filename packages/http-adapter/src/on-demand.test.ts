import { expect, test } from 'vitest'
import { fetchHandler } from './fetch.ts'
import { errorOf } from './test-client.ts'
import { inferBody, type TestServer, testServer } from './test-server.ts'

const onDemand = async (memoryBudget: number, use: (rig: Rig) => Promise<void>): Promise<void> => {
  await using fixture = await testServer([], { modelControl: 'on-demand', memoryBudget, memoryOf: () => 1 })
  const handle = fetchHandler(fixture.server)
  const call = (path: string, body?: string): Promise<Response> =>
    handle(new Request(`http://host${path}`, body === undefined ? {} : { method: 'POST', body }))
  const loaded = async (): Promise<string[]> => (await fixture.server.index({ ready: true })).map(({ name }) => name)
  await use({ fixture, call, loaded })
}

interface Rig {
  readonly fixture: TestServer
  readonly call: (path: string, body?: string) => Promise<Response>
  readonly loaded: () => Promise<string[]>
}

test('requests, metadata and configurations bring the model', () =>
  onDemand(2, async ({ call, loaded }) => {
    const infer = await call('/v2/models/fp32/infer', inferBody([1, 2], 'FP32', [1, 2]))
    expect([infer.status, await infer.json()]).toMatchObject([200, { model_name: 'fp32', outputs: [{ data: [1, 2] }] }])
    expect(await (await call('/v2/models/int8')).json()).toMatchObject({ name: 'int8', versions: ['1'] })
    expect(await (await call('/v2/models/matrix/config')).json()).toMatchObject({ name: 'matrix' })
    expect(await loaded()).toEqual(['int8', 'matrix'])
    const stream = await call('/v2/models/stream/generate_stream', '{"INPUT0": [1]}')
    expect(stream.status).toBe(200)
    await stream.text()
    expect(await loaded()).toEqual(['matrix', 'stream'])
  }))

test('a classification has the labels of a model that came for it', () =>
  onDemand(1, async ({ call }) => {
    const outputs = [{ name: 'OUTPUT0', parameters: { classification: 1 } }]
    const body = inferBody([1, 3, 2], 'FP32', [1, 3], { outputs })
    expect(await (await call('/v2/models/labelled/infer', body)).json()).toMatchObject({
      outputs: [{ data: ['3.000000:1:dog'] }],
    })
  }))

test('health, index and statistics bring none', () =>
  onDemand(1, async ({ call, loaded }) => {
    expect((await call('/v2/health/ready')).status).toBe(200)
    expect((await call('/v2/models/fp32/ready')).status).toBe(200)
    expect((await call('/v2/models/fp32/versions/7/ready')).status).toBe(400)
    expect((await call('/v2/models/nobody/ready')).status).toBe(400)
    expect(await (await call('/v2/repository/index', '')).json()).toContainEqual({ name: 'fp32' })
    expect(await errorOf(call('/v2/models/fp32/stats'))).toEqual([400, "requested model 'fp32' is not available"])
    expect(await loaded()).toEqual([])
  }))

test('mistakes have the status that they have in other modes', () =>
  onDemand(1, async ({ call }) => {
    expect(await errorOf(call('/v2/models/nobody/infer', inferBody([1])))).toEqual([
      404,
      "Request for unknown model: 'nobody' is not found",
    ])
    expect(await errorOf(call('/v2/models/nobody'))).toEqual([404, "Request for unknown model: 'nobody' is not found"])
    expect(await errorOf(call('/v2/models/stream/infer', inferBody([1], 'FP32', [1])))).toEqual([
      501,
      "HTTP end point doesn't support models with decoupled transaction policy",
    ])
    expect((await errorOf(call('/v2/models/fp32/infer', inferBody([1], 'INT32', [1, 1]))))[0]).toBe(400)
  }))

test('load and unload are allowed; what is loaded so stays', () =>
  onDemand(1, async ({ call, loaded }) => {
    expect((await call('/v2/repository/models/fp32/load', '')).status).toBe(200)
    expect(await errorOf(call('/v2/models/int8/infer', inferBody([1], 'INT8', [1, 1])))).toEqual([
      503,
      "model 'int8' needs 1 B, but the memory budget is 1 B, of which 1 B are taken by models that 'load' keeps there",
    ])
    expect((await call('/v2/repository/models/fp32/unload', '')).status).toBe(200)
    expect((await call('/v2/models/int8/infer', inferBody([1], 'INT8', [1, 1]))).status).toBe(200)
    expect(await loaded()).toEqual(['int8'])
  }))

test('the time of a request counts while its model is waited for', () =>
  onDemand(1, async ({ call, fixture }) => {
    const lease = await fixture.server.lease('int8')
    const body = inferBody([1], 'FP32', [1, 1], { parameters: { timeout: 1000 } })
    expect(await errorOf(call('/v2/models/fp32/infer', body))).toEqual([
      503,
      "Request timeout expired before model 'fp32' was loaded",
    ])
    lease[Symbol.dispose]()
  }))

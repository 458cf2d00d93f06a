import { Server } from '@triton-ts/core'
import { echoBackend, modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf } from '../test-client.ts'
import { inferBody } from '../test-server.ts'

const files = {
  'm/config.pbtxt': `backend: "identity" max_batch_size: 8 input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 }
    output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }`,
  'm/1/': '',
}

let first: TemporaryRepository
let second: TemporaryRepository
let server: Server
let handle: (request: Request) => Promise<Response>
let id: string

beforeAll(async () => {
  first = await modelRepository(files)
  second = await modelRepository(files)
  server = await Server.start({
    modelRepository: [first.path, second.path],
    modelNamespacing: true,
    modelControl: 'explicit',
    loadModels: ['*'],
    backends: [echoBackend()],
  })
  handle = fetchHandler(server)
  id = encodeURIComponent(`${second.path}::m`)
})
afterAll(async () => {
  await server.stop()
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})

const call = (path: string, body?: string): Promise<Response> =>
  handle(new Request(`http://host/v2/${path}`, body === undefined ? {} : { method: 'POST', body }))

const text =
  "There are 2 identifiers of model 'm' in global map, model namespace must be provided to resolve ambiguity."

describe('a name in two repositories', () => {
  test.each([
    ['models/m/infer', inferBody([1, 2])],
    ['models/m/generate', '{"INPUT0": 1}'],
    ['models/m', undefined],
    ['models/m/config', undefined],
    ['models/m/stats', undefined],
  ])('%s does not say which is meant', async (path, body) => {
    expect(await errorOf(call(path, body))).toEqual([400, text])
  })

  test('is in the index twice', async () => {
    const ready = { name: 'm', version: '1', state: 'READY' }
    expect(await (await call('repository/index', '')).json()).toEqual([ready, ready])
    expect(await errorOf(call('models/m/ready'))).toEqual([400, 'Model version not ready'])
    expect((await call('health/ready')).status).toBe(200)
  })
})

test('an id in a path, percent-encoded, says which is meant', async () => {
  expect(await (await call(`models/${id}/infer`, inferBody([1, 2]))).json()).toMatchObject({
    model_name: 'm',
    outputs: [{ data: [1, 2] }],
  })
  expect(await (await call(`models/${id}`)).json()).toMatchObject({ name: 'm', versions: ['1'] })
  expect((await call(`models/${id}/versions/1/ready`)).status).toBe(200)
  expect(await (await call(`models/${id}/stats`)).json()).toMatchObject({ model_stats: [{ inference_count: 1 }] })
  expect((await call(`repository/models/${id}/unload`, '')).status).toBe(200)
  expect(await (await call('models/m')).json()).toMatchObject({ name: 'm' })
  expect((await call(`repository/models/${id}/load`, '')).status).toBe(200)
  expect((await call('models/m')).status).toBe(400)
})

test('what is no id stays as it is written, also what cannot be decoded', async () => {
  for (const name of ['%6D', '%zz', '%3A%3A%']) {
    expect(await errorOf(call(`models/${name}`))).toEqual([400, `Request for unknown model: '${name}' is not found`])
  }
})

import { Server } from '@triton-ts/core'
import { echoBackend, modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf } from '../test-client.ts'

const tensor = 'data_type: TYPE_FP32 dims: 1'
const config = `backend: "identity" version_policy { specific { versions: [1, 2] } }
  input { name: "IN" ${tensor} } output { name: "OUT" ${tensor} }`

let repository: TemporaryRepository
let server: Server
let handle: (request: Request) => Promise<Response>
beforeAll(async () => {
  repository = await modelRepository({ 'm/config.pbtxt': config, 'm/1/': '', 'm/2/': '', 'm/3/': '' })
  server = await Server.start({ modelRepository: repository.path, backends: [echoBackend()] })
  handle = fetchHandler(server, { headerForwardPattern: 'user_id' })
})
afterAll(async () => {
  await server.stop()
  await repository[Symbol.asyncDispose]()
})

const get = (path: string) => handle(new Request(`http://host/v2/models/m${path}`))

const json = async (path: string): Promise<unknown> => (await get(path)).json()

function infer(path: string, parameters: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  const inputs = [{ name: 'IN', datatype: 'FP32', shape: [1], data: [1] }]
  const body = JSON.stringify({ inputs, parameters })
  return handle(new Request(`http://host/v2/models/m${path}/infer`, { method: 'POST', body, headers }))
}

const versionOf = async (response: Promise<Response>): Promise<string> =>
  ((await (await response).json()) as { model_version: string }).model_version

describe('the URL of a version', () => {
  test.each(['1', '2'])('%s answers for it alone', async (version) => {
    const path = `/versions/${version}`
    expect((await get(`${path}/ready`)).status).toBe(200)
    expect(await json(path)).toMatchObject({ name: 'm', versions: [version] })
    expect(await json(`${path}/config`)).toMatchObject({ version_policy: { specific: { versions: [1, 2] } } })
    expect(await versionOf(infer(path))).toBe(version)
    expect(await json(`${path}/stats`)).toMatchObject({ model_stats: [{ version, inference_count: 1 }] })
    expect(server.metrics()).toContain(`nv_inference_request_success{model="m",version="${version}"} 1`)
  })

  test('without one, what is told is of all and requests go to the highest', async () => {
    expect(await json('')).toMatchObject({ versions: ['1', '2'] })
    expect(await json('/stats')).toMatchObject({ model_stats: [{ version: '1' }, { version: '2' }] })
    expect(await versionOf(infer(''))).toBe('2')
  })

  test('of one that is not served says so', async () => {
    const text = "Request for unknown model: 'm' version 3 is not found"
    expect(await errorOf(infer('/versions/3'))).toEqual([404, text])
    expect(await errorOf(get('/versions/3'))).toEqual([404, text])
    expect(await errorOf(get('/versions/3/ready'))).toEqual([400, 'Model version not ready'])
    expect(await errorOf(get('/versions/3/stats'))).toEqual([
      400,
      "requested model version is not available for model 'm'",
    ])
  })
})

describe('a traffic split', () => {
  const answers = (count: number, send: (i: number) => Promise<Response>): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => versionOf(send(i))))

  test('divides the requests of a URL without version, and no others', async () => {
    await server.setTrafficSplit('m', { weights: { 1: 3, 2: 1 } })
    expect((await answers(8, () => infer(''))).sort()).toEqual(['1', '1', '1', '1', '1', '1', '2', '2'])
    expect(await answers(4, () => infer('/versions/2'))).toEqual(['2', '2', '2', '2'])
  })

  test('keeps the version of a parameter or a header', async () => {
    await server.setTrafficSplit('m', { weights: { 1: 1, 2: 1 }, stickyParameter: 'user_id' })
    const first = await answers(20, (i) => infer('', { user_id: i }))
    expect(new Set(first)).toEqual(new Set(['1', '2']))
    expect(await answers(20, (i) => infer('', { user_id: String(i) }))).toEqual(first)
    expect(await answers(20, (i) => infer('', {}, { user_id: String(i) }))).toEqual(first)
    expect(await answers(20, (i) => infer('', { User_ID: i }))).toEqual(first)
  })

  test('cannot be changed by a request', async () => {
    await server.setTrafficSplit('m', { weights: { 1: 1 } })
    expect(await versionOf(infer('', { trafficSplit: '{"2":1}', stickyKey: 'u' }))).toBe('1')
  })
})

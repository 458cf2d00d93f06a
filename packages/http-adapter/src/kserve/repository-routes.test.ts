import { manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf, useTestClient } from '../test-client.ts'
import { inferBody, testServer } from '../test-server.ts'

const client = useTestClient()
const { call } = client

describe('repository', () => {
  const post = (path: string, body = ''): Promise<Response> => call(path, { method: 'POST', body })

  test('index', async () => {
    for (const path of ['/v2/repository/index', '/v2/repository/somewhere/index']) {
      expect(await (await post(path)).json()).toEqual(await client.fixture.server.index())
    }
    expect((await post('/v2/repository/index', '{"ready": true}')).status).toBe(200)
    expect(await errorOf(post('/v2/repository/index', '{"ready": 1}'))).toEqual([
      400,
      "Invalid value for 'ready': expected a boolean",
    ])
    expect(await errorOf(post('/v2/repository/index', '{'))).toEqual([
      500,
      'failed to parse the request JSON buffer: Missing a name for object member. at 1',
    ])
  })

  const load = '/v2/repository/models/fp32/load'
  test.each([
    [load, '', 503, 'explicit model load / unload is not allowed if polling is enabled'],
    [load, '{', 500, 'failed to parse the request JSON buffer: Missing a name for object member. at 1'],
    [load, '{"parameters": 5}', 500, 'attempt to get members for non-object'],
    [load, '{"parameters": {"foo": 1}}', 500, 'attempt to access JSON non-string as string'],
    [load, '{"parameters": {"foo": "x"}}', 500, 'unexpected error on creating Triton parameter'],
    ['/v2/repository/r/models/fp32/load', '', 501, "'repository_name' specification is not supported"],
    ['/v2/repository/models/fp32/unload', '', 503, 'explicit model load / unload is not allowed if polling is enabled'],
  ])('%s %s', async (path, body, status, error) => {
    expect(await errorOf(post(path, body))).toEqual([status, error])
  })

  test('a request in flight is answered with classes although its model is unloaded', async () => {
    const backend = manualBackend()
    await using explicit = await testServer([backend], { modelControl: 'explicit', loadModels: ['*'] })
    const outputs = [{ name: 'OUTPUT0', parameters: { classification: 1 } }]
    const body = inferBody([1, 3], 'FP32', [2], { outputs })
    const answer = call('/v2/models/slow/infer', { body }, fetchHandler(explicit.server))
    const execution = await backend.next()
    const unloaded = explicit.server.unload('slow')
    const [request] = execution.requests
    request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
    execution.finish()
    expect(await (await answer).json()).toMatchObject({ outputs: [{ data: ['3.000000:1'] }] })
    await unloaded
  })

  test('an ensemble brings its steps, and takes them along when it is told to', async () => {
    await using explicit = await testServer([], { modelControl: 'explicit' })
    const via = fetchHandler(explicit.server)
    const tensors = { data_type: 'TYPE_FP32', dims: [-1] }
    const step = { model_name: 'fp32', model_version: -1, input_map: { INPUT0: 'X' }, output_map: { OUTPUT0: 'Y' } }
    const config = JSON.stringify({
      platform: 'ensemble',
      input: [{ name: 'X', ...tensors }],
      output: [{ name: 'Y', ...tensors }],
      ensemble_scheduling: { step: [step] },
    })
    const ready = async () => (await explicit.server.index({ ready: true })).map(({ name }) => name)
    const send = async (path: string, parameters: object) => {
      const body = JSON.stringify({ parameters })
      expect((await call(`/v2/repository/models/e/${path}`, { method: 'POST', body }, via)).status).toBe(200)
    }
    await send('load', { config, 'file:1/empty': '' })
    expect(explicit.server.model('e').metadata().platform).toBe('ensemble')
    expect(explicit.server.model('fp32').metadata().versions).toEqual(['1'])
    await send('unload', { unload_dependents: true })
    expect(await ready()).toEqual([])
    expect(await errorOf(call('/v2/models/fp32/ready', {}, via))).toEqual([400, 'Model version not ready'])
  })

  test('load with another configuration, unload, and both switched off', async () => {
    await using explicit = await testServer([], { modelControl: 'explicit' })
    const via = fetchHandler(explicit.server)
    const body = JSON.stringify({
      parameters: {
        config: JSON.stringify({
          ...((await (await call('/v2/models/fp32/config')).json()) as object),
          max_batch_size: 2,
        }),
      },
    })
    expect((await call(load, { body }, via)).status).toBe(200)
    expect(await (await call('/v2/models/fp32/config', {}, via)).json()).toMatchObject({ max_batch_size: 2 })
    const unload = { method: 'POST', body: '{"parameters": {"unload_dependents": "yes"}}' }
    expect((await call('/v2/repository/models/fp32/unload', unload, via)).status).toBe(200)
    expect(await errorOf(call('/v2/models/fp32/ready', {}, via))).toEqual([400, 'Model version not ready'])
    const off = fetchHandler(explicit.server, { repositoryControl: false })
    expect(await errorOf(call(load, { body }, off))).toEqual([501, 'model load and unload over HTTP are switched off'])
  })
})

import { Server } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { inferBody } from '../test-server.ts'

const tensors = `input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 } output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }`
const config = JSON.stringify({
  backend: 'identity',
  max_batch_size: 8,
  input: [{ name: 'INPUT0', data_type: 'TYPE_FP32', dims: ['-1'] }],
  output: [{ name: 'OUTPUT0', data_type: 'TYPE_FP32', dims: ['-1'] }],
})
const long = 'm'.repeat(1000)
const notPolled = (name: string): string => `failed to load '${name}', failed to poll from model repository`
const parameters = (parameters: object): string => JSON.stringify({ parameters })

test.each<[string, string, string, number, string | RegExp]>([
  ['a configuration that is no JSON', 'm', parameters({ config: '{"backend": ' }), 500, notPolled('m')],
  ['a configuration that is no object', 'm', parameters({ config: '[1]' }), 500, notPolled('m')],
  ['an empty configuration text', 'm', parameters({ config: '' }), 500, notPolled('m')],
  ['a configuration of another model', 'm', parameters({ config: '{"name": "other"}' }), 500, notPolled('m')],
  ['an unknown field', 'm', parameters({ config: '{"max_batchsize": 4}' }), 500, notPolled('m')],
  [
    'a configuration that is no text',
    'm',
    parameters({ config: {} }),
    500,
    'attempt to access JSON non-string as string',
  ],
  [
    'a backend that is not there',
    'm',
    parameters({ config: config.replace('identity', 'nowhere') }),
    400,
    /^load failed for model 'm': version 1 is at UNAVAILABLE state: Invalid argument: unable to find backend library/,
  ],
  ['files without a configuration', 'm', parameters({ 'file:1/model': 'AAAA' }), 500, notPolled('m')],
  ['a file outside', 'm', parameters({ config, 'file:../../x': 'AAAA' }), 500, notPolled('m')],
  ['a file in disguise outside', 'm', parameters({ config, 'file:1/../../x': 'AAAA' }), 500, notPolled('m')],
  ['a file without a path', 'm', parameters({ config, 'file:': 'AAAA' }), 500, notPolled('m')],
  ['a file as a directory', 'm', parameters({ config, 'file:1': 'AAAA', 'file:1/x': 'AAAA' }), 500, notPolled('m')],
  [
    'files without a version',
    'm',
    parameters({ config, 'file:model': 'AAAA' }),
    400,
    "load failed for model 'm': at least one version must be available under the version policy of model 'm'\n",
  ],
  ['a name of 1000 characters', long, '', 500, notPolled(long)],
  ['a path in code as a name', '..%2Fm', '', 500, notPolled('..%2Fm')],
  ['a model that is not there', 'other', '', 500, notPolled('other')],
])('%s is refused and changes nothing', async (_, name, body, status, error) => {
  await using repository = await modelRepository({
    'm/config.pbtxt': `backend: "identity" max_batch_size: 8 ${tensors}`,
    'm/1/': '',
  })
  await using server = await Server.start({
    modelRepository: repository.path,
    modelControl: 'explicit',
    loadModels: ['m'],
    backends: [echoBackend()],
  })
  const handle = fetchHandler(server)
  const call = (path: string, body: string): Promise<Response> =>
    handle(new Request(`http://host${path}`, { method: 'POST', body }))
  const before = await server.index()
  const answer = await call(`/v2/repository/models/${name}/load`, body)
  const { error: text } = (await answer.json()) as { error: string }
  expect(answer.status).toBe(status)
  if (typeof error === 'string') expect(text).toBe(error)
  else expect(text).toMatch(error)
  expect(await server.index()).toEqual(before)
  expect(await server.isReady()).toBe(true)
  expect((await call('/v2/models/m/infer', inferBody([1, 2]))).status).toBe(200)
  expect((await call('/v2/repository/models/m/load', '')).status).toBe(200)
})

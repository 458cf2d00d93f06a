import { Server } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serveHttp } from './node.ts'
import { inferBody } from './test-server.ts'

const tensor = (name: string): string => `{ name: "${name}" data_type: TYPE_FP32 dims: -1 }`
const model = `backend: "identity" max_batch_size: 8 input ${tensor('INPUT0')} output ${tensor('OUTPUT0')}`
const step = (model: string, from: string, to: string): string =>
  `{ model_name: "${model}" model_version: -1
    input_map { key: "INPUT0" value: "${from}" } output_map { key: "OUTPUT0" value: "${to}" } }`
const ensemble = (first: string, second: string): string =>
  `platform: "ensemble" max_batch_size: 8 input ${tensor('INPUT0')} output ${tensor('OUTPUT0')}
   ensemble_scheduling { step [ ${step(first, 'INPUT0', 'X')}, ${step(second, 'X', 'OUTPUT0')} ] }`

const names = ['a', 'b', 'e', 'f'] as const
const files = {
  'a/config.pbtxt': model,
  'b/config.pbtxt': model,
  'e/config.pbtxt': ensemble('a', 'b'),
  'f/config.pbtxt': ensemble('e', 'b'),
  ...Object.fromEntries(names.map((name) => [`${name}/1/`, ''])),
}

/** What a client may be told while others load and unload. */
const expected = [
  /^Request for unknown model: '[abef]' (is not found|has no available versions)$/,
  /^Request for unknown model: '[abef]' version 1 is not at ready state$/,
  /^load failed for model '[ef]': ensemble '[ef]' depends on '[abe]' which has no loaded version\./,
  /^load failed for model 'f': ensemble 'f' depends on 'e' which is not valid\./,
  /^load failed for model '[ef]': ensemble [ef] contains models that are not available or ambiguous: [abe](, [abe])*\n$/,
]

const action = fc.constantFrom('load', 'unload', 'unload with steps', 'infer', 'infer', 'config', 'index')
const client = fc.array(fc.record({ action, name: fc.constantFrom(...names) }), { minLength: 1, maxLength: 15 })

test('many clients load, unload and use the same models and their ensembles at the same time', async () => {
  await using repository = await modelRepository(files)
  await using server = await Server.start({
    modelRepository: repository.path,
    modelControl: 'explicit',
    backends: [echoBackend({ history: 0 })],
  })
  const http = await serveHttp(server, { port: 0, host: '127.0.0.1' })
  const call = (path: string, body?: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${http.port}/v2/${path}`, body === undefined ? {} : { method: 'POST', body })
  const send = (action: string, name: string): Promise<Response> => {
    if (action === 'infer') return call(`models/${name}/infer`, inferBody([1, 2]))
    if (action === 'config') return call(`models/${name}/config`)
    if (action === 'index') return call('repository/index', '')
    const body = action === 'unload with steps' ? '{"parameters": {"unload_dependents": true}}' : ''
    return call(`repository/models/${name}/${action.split(' ')[0]}`, body)
  }
  const ready = async (): Promise<string[]> => (await server.index({ ready: true })).map(({ name }) => name)
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 2, maxLength: 8 }), async (clients) => {
        await Promise.all(
          clients.map(async (acts) => {
            for (const { action, name } of acts) {
              const answer = await send(action, name)
              const text = await answer.text()
              if (answer.status === 200) continue
              const { error } = JSON.parse(text) as { error: string }
              expect(expected.some((pattern) => pattern.test(error)) ? 'expected' : `${action} ${name}: ${text}`).toBe(
                'expected',
              )
            }
          }),
        )
        expect((await send('load', 'f')).status).toBe(200)
        expect(await ready()).toEqual(['a', 'b', 'e', 'f'])
        expect((await send('infer', 'f')).status).toBe(200)
        for (const name of names) expect((await send('unload', name)).status).toBe(200)
        expect(await ready()).toEqual([])
      }),
      { numRuns: 30 },
    )
  } finally {
    await http.close()
  }
})

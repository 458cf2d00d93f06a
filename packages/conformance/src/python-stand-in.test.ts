import { join } from 'node:path'
import { Server } from '@triton-ts/core'
import { type HttpService, serveHttp } from '@triton-ts/http-adapter/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goldenRepository, readCorpus } from './corpus.ts'
import { pythonStandIn } from './python-stand-in.ts'
import { replayCase } from './replay.ts'

const models = ['params_echo', 'py_error', 'seq_py', 'stream_text', 'gen_text', 'gen_text_batch', 'gen_text_var']
const cases = readCorpus().cases.filter(
  ({ phase, request }) =>
    ['default', 'headers'].includes(phase) && models.some((model) => request.path.startsWith(`/v2/models/${model}`)),
)

let server: Server
let http: HttpService

beforeAll(async () => {
  server = await Server.start({
    modelRepository: join(goldenRepository, 'models_py'),
    backends: [pythonStandIn()],
    modelControl: 'explicit',
    loadModels: models,
    exitTimeout: 0,
  })
  http = await serveHttp(server, { port: 0, host: '127.0.0.1', headerForwardPattern: 'x-fwd-.*' })
})

afterAll(async () => {
  await http?.close()
  await server?.stop()
})

test.each(cases)('$id', async (entry) => {
  expect(await replayCase(http.port, entry)).toBeUndefined()
})

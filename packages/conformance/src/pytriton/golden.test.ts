import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { native } from '@triton-ts/backend-native'
import { Server } from '@triton-ts/core'
import { type HttpService, serveHttp } from '@triton-ts/http-adapter/node'
import { modelRepository } from '@triton-ts/testing'
import { expect } from 'vitest'
import { goldenRepository, readCorpus } from '../corpus.ts'
import { replayCase } from '../replay.ts'
import { pythonTest } from './python-rig.ts'
import type { Pytriton } from './pytriton.ts'

const test = pythonTest()
const models = ['params_echo', 'py_error', 'seq_py', 'stream_text', 'gen_text', 'gen_text_batch', 'gen_text_var']
const cases = readCorpus().cases.filter(
  ({ phase, request: { path } }) =>
    ['default', 'headers'].includes(phase) && models.some((model) => path.startsWith(`/v2/models/${model}`)),
)

test('the recorded Python models answer as recorded', async ({ pytriton }) => {
  // Python leaves its caches beside the models.
  await using copy = await modelRepository()
  await cp(join(goldenRepository, 'models_py'), copy.path, { recursive: true })
  const server = await startServer(pytriton, copy.path)
  let http: HttpService | undefined
  const differences: string[] = []
  try {
    http = await serveHttp(server, { port: 0, host: '127.0.0.1', headerForwardPattern: 'x-fwd-.*' })
    const { port } = http
    for (const entry of cases) {
      // The Python backend counts a request after its answer.
      if (entry.request.path.endsWith('/stats')) {
        await expect.poll(() => replayCase(port, entry), { timeout: 5_000 }).toBeUndefined()
      }
      const difference = await replayCase(port, entry)
      if (difference !== undefined) differences.push(`${entry.id}: ${difference}`)
    }
  } finally {
    await http?.close()
    await server.stop()
  }
  expect(cases.length).toBeGreaterThan(40)
  expect(differences).toEqual([])
})

const startServer = ({ backends }: Pytriton, modelRepository: string): Promise<Server> =>
  Server.start({
    modelRepository,
    backends: [native({ directory: backends })],
    modelControl: 'explicit',
    loadModels: models,
  })

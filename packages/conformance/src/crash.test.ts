import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goldenRepository, readCorpus } from './corpus.ts'
import { sendRaw } from './raw-http.ts'
import { SpawnedServer } from './spawned-server.ts'

const cases = readCorpus().cases.filter(({ phase }) => phase === 'crash')
let server: SpawnedServer

beforeAll(async () => {
  server = await SpawnedServer.start({
    modelRepositories: [join(goldenRepository, 'models')],
    flags: ['--model-control-mode=explicit', '--load-model=identity_fp32'],
    until: 'ready',
  })
})
afterAll(() => server?.stop())

test.each(cases)('$id, which killed Triton, gets a clear answer', async ({ request }) => {
  const body = Buffer.from(request.body ?? '')
  const answer = await sendRaw(server.httpPort, { ...request, body })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(JSON.parse(answer.body.toString())).toEqual({ error: expect.stringMatching(/\w/) })

  const live = await sendRaw(server.httpPort, { method: 'GET', path: '/v2/health/live', headers: {} })
  expect(live.status).toBe(200)
  expect(server.exit).toBeUndefined()
})

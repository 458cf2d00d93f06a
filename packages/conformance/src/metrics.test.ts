import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goldenPath, goldenRepository } from './corpus.ts'
import { sendRaw } from './raw-http.ts'
import { SpawnedServer } from './spawned-server.ts'

const recorded = readFileSync(goldenPath('metrics_default.txt'), 'utf8').split('\n')
const models = ['rich_config', 'ver_all', 'add_sub_int32', 'ens_chain']
let server: SpawnedServer
let lines: string[] = []

beforeAll(async () => {
  server = await SpawnedServer.start({
    modelRepositories: [join(goldenRepository, 'models')],
    flags: ['--model-control-mode=explicit', ...models.map((name) => `--load-model=${name}`)],
    until: 'ready',
  })
  const { status, headers, body } = await sendRaw(server.metricsPort!, { method: 'GET', path: '/metrics', headers: {} })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch('text/plain')
  lines = body.toString().split('\n')
})
afterAll(() => server?.stop())

test('families have the recorded help and type', () => {
  const families = recorded.filter((line) => line.startsWith('# '))
  expect(families.length).toBe(30)
  expect(lines).toEqual(expect.arrayContaining(families))
})

test('series have the recorded labels', () => {
  const series = (text: string[]) =>
    text
      .filter((line) => line.startsWith('nv_inference_') && models.some((name) => line.includes(`model="${name}"`)))
      .map((line) => line.slice(0, line.lastIndexOf(' ')))
      .sort()
  expect(series(lines)).toEqual(series(recorded))
})

test('warm-up is counted: two instances run their sample twice', () => {
  expect(lines).toContain('nv_inference_count{_team="golden",model="rich_config",version="1"} 4')
})

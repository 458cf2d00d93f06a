import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { UsageError } from '../flags/usage-error.ts'
import { openLog } from './log.ts'
import { settingsOf } from './settings.ts'
import { startServing } from './start-serving.ts'
import { trafficSplits } from './traffic-splits.ts'

test('splits by model', () => {
  expect(trafficSplits([])).toEqual({})
  expect(trafficSplits(['m:1=90,2=10', 'n:3=0.5,key=user_id,4=.5', '/models::m:1=1'])).toEqual({
    m: { weights: { 1: 90, 2: 10 } },
    n: { weights: { 3: 0.5, 4: 0.5 }, stickyParameter: 'user_id' },
    '/models::m': { weights: { 1: 1 } },
  })
})

const malformed = [
  '',
  'm',
  'm:',
  'm:1',
  ':1=1',
  '1=1',
  'm:1=',
  'm:1=a',
  'm:a=1',
  'm:1=-1',
  'm:1=1=1',
  'm:1=1,',
  'm:key=',
]
const twice = ['m:1=1,1=2', 'm:1=1,01=2', 'm:1=1,key=a,key=b']

test.each([...malformed, ...twice])('%j is refused', (setting) => {
  expect(() => trafficSplits([setting])).toThrow(UsageError)
})

test('two for one model are refused', () => {
  expect(() => trafficSplits(['m:1=1', 'm:2=1'])).toThrow("--traffic-split is given twice for model 'm'")
})

test('a server divides its requests by the flag, and by the key in a header', async () => {
  const tensor = 'data_type: TYPE_FP32 dims: 1'
  await using repository = await modelRepository({
    'm/config.pbtxt': `backend: "identity" version_policy { all {} }
      input { name: "INPUT0" ${tensor} } output { name: "OUTPUT0" ${tensor} }`,
    'm/1/': '',
    'm/2/': '',
  })
  const settings = settingsOf([
    `--model-repository=${repository.path}`,
    ...['--http-address=127.0.0.1', '--http-port=0', '--grpc-port=0', '--metrics-port=0', '--log-info=false'],
    ...['--traffic-split=m:1=3,2=1,key=x-user', '--http-header-forward-pattern=x-user'],
  ])
  const log = openLog(settings.log)
  const serving = await startServing(settings, log)
  try {
    const body = JSON.stringify({ inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [1], data: [1] }] })
    const url = `http://127.0.0.1:${serving?.http?.port}/v2/models/m/infer`
    const infer = async (headers: Record<string, string>): Promise<string> => {
      const answer = await (await fetch(url, { method: 'POST', body, headers })).json()
      return (answer as { model_version: string }).model_version
    }
    const turns = [await infer({}), await infer({}), await infer({}), await infer({})]
    expect(turns.sort()).toEqual(['1', '1', '1', '2'])
    const first = await infer({ 'x-user': 'ann' })
    for (let i = 0; i < 4; i++) expect(await infer({ 'x-user': 'ann' })).toBe(first)
    const metrics = await (await fetch(`http://127.0.0.1:${serving?.metrics?.port}/metrics`)).text()
    expect(metrics).toContain('triton_ts_traffic_split_weight{model="m",version="1"} 3\n')
  } finally {
    await serving?.stop()
    log.close()
  }
})

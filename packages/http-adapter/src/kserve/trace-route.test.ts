import { expect, test } from 'vitest'
import { type Call, errorOf, useTestClient } from '../test-client.ts'

const { call } = useTestClient()

const all = '/v2/trace/setting'
const model = '/v2/models/fp32/trace/setting'

const post = (path: string, settings: unknown): Promise<Response> => {
  const body = typeof settings === 'string' ? settings : JSON.stringify(settings)
  const request: Call = { method: 'POST', body }
  return call(path, request)
}

const settingsOf = async (response: Promise<Response>): Promise<unknown> => (await response).json()

const off = {
  trace_level: ['OFF'],
  trace_rate: '1000',
  trace_count: '-1',
  log_frequency: '0',
  trace_file: '',
  trace_mode: 'triton',
}

test('the settings are texts, but for the levels', async () => {
  const response = await call(all)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(await response.text()).toBe(JSON.stringify(off))
  expect(await settingsOf(post(all, ''))).toEqual(off)
})

test('what is set holds, what is null is taken back, what is unknown is overlooked', async () => {
  const changed = { trace_rate: '5', log_frequency: '10', trace_count: '7', trace_level: ['LOUD'], colour: 1 }
  expect(await settingsOf(post(all, changed))).toEqual({
    ...off,
    trace_rate: '5',
    log_frequency: '10',
    trace_count: '7',
  })
  expect(await settingsOf(post(model, { trace_rate: '6' }))).toMatchObject({ trace_rate: '6', log_frequency: '10' })
  expect(await settingsOf(post(all, { trace_rate: null, log_frequency: null, trace_count: null }))).toEqual(off)
  expect(await settingsOf(call(model))).toEqual({ ...off, trace_rate: '6' })
  expect(await settingsOf(post(model, { trace_rate: null, trace_level: null }))).toEqual(off)
})

test.each([
  [{ trace_file: 'x' }, 501, 'trace file location can not be updated through network protocol'],
  [{ trace_file: null }, 501, 'trace file location can not be updated through network protocol'],
  [{ trace_level: ['OFF', 'TENSORS'] }, 400, "Expect only one trace level 'OFF' is specified"],
  [{ trace_level: 'OFF' }, 500, "Unable to parse 'trace_level': attempt to access JSON non-array as array"],
  [{ trace_level: [1] }, 500, 'attempt to access JSON non-string as string'],
  [{ trace_level: ['OFF', 1] }, 500, 'attempt to access JSON non-string as string'],
  [{ trace_rate: 5 }, 500, 'attempt to access JSON non-string as string'],
  [{ trace_rate: 'x' }, 400, "Unable to parse 'trace_rate', got: x"],
  [{ trace_count: '-2' }, 400, "Unable to parse 'trace_count'. Expecting value >= -1, got:-2"],
  [
    { log_frequency: '99999999999' },
    400,
    "Unable to parse 'log_frequency', value is out of range [ 0, 4294967295 ], got: 99999999999",
  ],
  [{ trace_level: ['TIMESTAMPS'] }, 400, 'Attempting to set invalid trace setting :trace file name is not given'],
])('%j is refused', async (settings, status, text) => {
  expect(await errorOf(post(all, settings))).toEqual([status, text])
  expect(await settingsOf(call(all))).toEqual(off)
})

test('a model that is not there has no settings', async () => {
  const path = '/v2/models/nope/trace/setting'
  const unknown = [400, 'Request for unknown model : nope']
  expect([await errorOf(call(path)), await errorOf(post(path, { trace_rate: '5' }))]).toEqual([unknown, unknown])
})

test('what is no JSON is refused', async () => {
  const [status, text] = await errorOf(post(all, '{"trace_rate":'))
  expect([status, text]).toEqual([500, expect.stringContaining('failed to parse the request JSON buffer')])
})

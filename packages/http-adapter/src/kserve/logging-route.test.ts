import { type Logger, silentLogger, tritonLog } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf, useTestClient } from '../test-client.ts'
import { testServer } from '../test-server.ts'

const { call } = useTestClient()

const initial = {
  log_file: '',
  log_info: true,
  log_warning: true,
  log_error: true,
  log_verbose_level: 0,
  log_format: 'default',
}

describe('log settings', () => {
  const post = (settings: unknown, via?: Parameters<typeof call>[2]): Promise<Response> =>
    call('/v2/logging', { method: 'POST', body: JSON.stringify(settings) }, via)

  test("are Triton's defaults", async () => {
    expect(await (await call('/v2/logging')).json()).toEqual(initial)
  })

  test('change as far as they are named, and not where they are null', async () => {
    await using fixture = await testServer([], { logger: tritonLog({ info: true }) })
    const via = fetchHandler(fixture.server)
    const change = { log_info: false, log_warning: null, log_file: null, log_verbose_level: 2, foo: true }
    const changed = { ...initial, log_info: false, log_verbose_level: 2 }
    expect(await (await post(change, via)).json()).toEqual(changed)
    expect(await (await post({ log_format: 'ISO8601' }, via)).json()).toEqual({ ...changed, log_format: 'ISO8601' })
    const body = ''
    expect(await (await call('/v2/logging', { method: 'POST', body }, via)).json()).toMatchObject({
      log_info: false,
      log_verbose_level: 2,
    })
    await post({ log_verbose_level: 0, log_format: 'default', log_info: true }, via)
    expect(await (await call('/v2/logging', {}, via)).json()).toEqual(initial)
  })

  test.each([
    [{ log_file: 'other' }, 501, 'log file location can not be updated through network protocol'],
    [{ log_format: 'xml' }, 503, 'invalid argument for --log_format, got: xml'],
    [{ log_info: 'yes' }, 500, 'attempt to access JSON non-boolean as boolean'],
    [{ log_verbose_level: -1 }, 500, 'attempt to access JSON non-unsigned-integer as unsigned-integer'],
    [{ log_format: 1 }, 500, 'attempt to access JSON non-string as string'],
    [
      { log_info: false, log_format: 'json' },
      501,
      'log format can not be updated: the application has a logger of its own',
    ],
  ])('%j is refused and changes nothing', async (settings, status, error) => {
    expect(await errorOf(post(settings))).toEqual([status, error])
    expect(await (await call('/v2/logging')).json()).toEqual(initial)
  })

  test('a verbose level is taken as a signed integer of 32 bits', async () => {
    const level = async (text: string): Promise<unknown> => {
      const body = `{"log_verbose_level":${text}}`
      const { log_verbose_level } = (await (
        await call('/v2/logging', { method: 'POST', body })
      ).json()) as typeof initial
      return log_verbose_level
    }
    expect(await level('2147483647')).toBe(2147483647)
    expect(await level('18446744073709551615')).toBe(0)
    expect(await level('4294967297')).toBe(1)
    expect(await level('0')).toBe(0)
  })

  test('other methods and longer paths are refused', async () => {
    expect(await errorOf(call('/v2/logging', { method: 'PUT' }))).toEqual([405, 'Method Not Allowed'])
    expect(await errorOf(call('/v2/logging/'))).toEqual([404, 'Not Found'])
  })
})

test('requests are verbose messages', async () => {
  const lines: string[] = []
  const logger: Logger = { ...silentLogger, debug: (_, text) => lines.push(text) }
  await using fixture = await testServer([], { logger })
  const via = fetchHandler(fixture.server)
  await call('/v2/health/live', {}, via)
  expect(lines).toEqual([])
  await call('/v2/logging', { method: 'POST', body: '{"log_verbose_level":1}' }, via)
  await call('/v2/models/fp32/infer', { method: 'POST', body: '{"id":"r","inputs":[]}' }, via)
  expect(lines[0]).toBe('HTTP request: POST /v2/models/fp32/infer')
  expect(lines[1]).toMatch(/^\[request id: r\] Infer failed: /)
})

import { setImmediate } from 'node:timers'
import { Server } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { formatFor, metricsResponse } from './metrics-response.ts'

test.each([
  [undefined, 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['application/openmetrics-text', 'openmetrics'],
  ['Application/OpenMetrics-Text; version=1.0.0', 'openmetrics'],
  ['application/openmetrics-text;version=0.0.1', 'prometheus'],
  ['application/openmetrics-text;q=0', 'prometheus'],
  ['text/plain;q=0.5,application/openmetrics-text;q=0.4', 'prometheus'],
  ['text/plain;q=bad,application/openmetrics-text;q=bad', 'prometheus'],
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,' +
      'text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
])('a client that accepts %j gets %s', (accept, format) => {
  expect(formatFor(accept)).toBe(format)
})

test('a page of many models leaves the event loop to others while it is made, and is whole', async () => {
  const config = `backend: "identity" input { name: "IN" data_type: TYPE_FP32 dims: 1 }
    output { name: "OUT" data_type: TYPE_FP32 dims: 1 }`
  const files = Array.from({ length: 100 }, (_, i) => [
    [`m${i}/config.pbtxt`, config],
    [`m${i}/1/`, ''],
  ]).flat()
  await using repository = await modelRepository(Object.fromEntries(files))
  await using server = await Server.start({ modelRepository: repository.path, backends: [echoBackend()] })
  let turns = 0
  const turn = (): void => {
    turns++
    immediate = setImmediate(turn)
  }
  let immediate = setImmediate(turn)
  const { body } = await metricsResponse(server, undefined)
  clearImmediate(immediate)
  expect(turns).toBeGreaterThan(1)
  const page = Buffer.concat(body as Uint8Array[]).toString()
  expect(page.replace(/event_loop.*\n/g, '')).toBe(server.metrics().replace(/event_loop.*\n/g, ''))
})

import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TraceLog, traceLog } from '@triton-ts/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { fetchHandler } from './fetch.ts'
import type { HttpService } from './node/http-service.ts'
import { serveHttp } from './node.ts'
import { inferBody, type TestServer, testServer } from './test-server.ts'

interface Traced {
  readonly fixture: TestServer
  readonly http: HttpService
  readonly log: TraceLog
  /** Traces that are complete. */
  ended: number
}

let traced: Traced

beforeAll(async () => {
  const log = traceLog()
  const open: TraceLog['open'] = (start) => ({ ...log.open(start), end: () => void traced.ended++ })
  const exporter = { ...log, open }
  const fixture = await testServer([], { trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
  const http = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
  traced = { fixture, http, log, ended: 0 }
})
beforeEach(() => {
  traced.ended = 0
  traced.log.clear()
})
afterAll(async () => {
  await traced.http.close()
  await traced.fixture[Symbol.asyncDispose]()
})

async function post(path: string, body: string): Promise<number | undefined> {
  const request = httpRequest({ port: traced.http.port, host: '127.0.0.1', path, method: 'POST' }).end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await buffer(response)
  return response.statusCode
}

/** What the endpoint has marked of one request, when it is through with it. */
async function marks(): Promise<readonly string[]> {
  await vi.waitFor(() => expect(traced.ended).toBe(1))
  return traced.log.activities.filter((name) => name.startsWith('HTTP_'))
}

const way = ['HTTP_RECV_START', 'HTTP_RECV_END', 'HTTP_SEND_START', 'HTTP_SEND_END']

test('an inference tells when it was received and sent', async () => {
  expect(await post('/v2/models/fp32/infer', inferBody([1, 2]))).toBe(200)
  expect(await marks()).toEqual(way)
  expect(traced.log.activities.indexOf('fp32 REQUEST_START')).toBe(2)
})

test('so does one that is refused', async () => {
  expect(await post('/v2/models/fp32/infer', '{"inputs":[]}')).toBe(400)
  expect(await marks()).toEqual(way)
  expect(await post('/v2/models/nope/infer', '{}')).toBe(404)
  await vi.waitFor(() => expect(traced.ended).toBe(2))
})

test('so do the generate endpoints', async () => {
  expect(await post('/v2/models/string/generate', '{"INPUT0":["a"]}')).toBe(200)
  expect(await marks()).toEqual(way)
})

test('so does a stream of answers', async () => {
  expect(await post('/v2/models/stream/generate_stream', '{"INPUT0":[1]}')).toBe(200)
  expect(await marks()).toEqual(way)
})

test('a client that has gone leaves no trace open', async () => {
  const request = httpRequest({
    port: traced.http.port,
    host: '127.0.0.1',
    path: '/v2/models/fp32/infer',
    method: 'POST',
  })
  request.on('error', () => {})
  request.setHeader('Content-Length', '100')
  request.write('{')
  await vi.waitFor(() => expect(traced.log.activities).toContain('HTTP_RECV_START'))
  request.destroy()
  expect(await marks()).toEqual(['HTTP_RECV_START'])
})

test('a request of a fetch handler is traced too', async () => {
  const handle = fetchHandler(traced.fixture.server)
  const of = (path: string, body: string): Request => new Request(`http://host${path}`, { method: 'POST', body })
  await (await handle(of('/v2/models/fp32/infer', inferBody([1])))).text()
  expect(await marks()).toEqual(way)
  const streamed = await handle(of('/v2/models/stream/generate_stream', '{"INPUT0":[1]}'))
  expect(traced.ended).toBe(1)
  await streamed.text()
  await vi.waitFor(() => expect(traced.ended).toBe(2))
})

test('the headers of a request are asked for W3C trace context', async () => {
  const asked: unknown[] = []
  const log = traceLog()
  const exporter = {
    ...log,
    join: ((header) => {
      asked.push(header?.('traceparent'))
      return undefined
    }) as TraceLog['join'],
  }
  await using fixture = await testServer([], { trace: { level: ['TIMESTAMPS'], exporter } })
  const handle = fetchHandler(fixture.server)
  const headers = { traceparent: '00-1-2-3' }
  await handle(new Request('http://host/v2/models/fp32/infer', { method: 'POST', body: inferBody([1]), headers }))
  expect(asked).toEqual(['00-1-2-3'])
})

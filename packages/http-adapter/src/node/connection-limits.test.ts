import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { manualBackend } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpService, type ServeHttpOptions, serveHttp } from '../node.ts'
import { inferBody, type TestServer, testServer } from '../test-server.ts'
import type { BodyStream } from '../universal.ts'
import { HttpService as Service } from './http-service.ts'

const backend = manualBackend()
const host = '127.0.0.1'
let fixture: TestServer

beforeAll(async () => {
  fixture = await testServer([backend])
})
afterAll(() => fixture[Symbol.asyncDispose]())

const serve = (options: ServeHttpOptions): Promise<HttpService> => serveHttp(fixture.server, { port: 0, ...options })

async function open({ port }: HttpService): Promise<Socket> {
  const socket = connect(port, host)
  // A connection that is cut may be reset.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Everything that comes until the other side closes. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const live = 'GET /v2/health/live HTTP/1.1\r\nHost: x\r\n'
const expectLive = async ({ port }: HttpService): Promise<void> =>
  expect((await fetch(`http://${host}:${port}/v2/health/live`)).status).toBe(200)

const slowBody = inferBody([1], 'FP32', [1])
const slow = `POST /v2/models/slow/infer HTTP/1.1\r\nHost: x\r\nContent-Length: ${slowBody.length}\r\n\r\n${slowBody}`

async function answerSlow(): Promise<void> {
  const { requests, finish } = await backend.next()
  requests[0]?.respond({ outputs: { OUTPUT0: requests[0].inputs.get('INPUT0') as never } })
  finish()
}

describe('connections', () => {
  test('beyond the most are closed as they come', async () => {
    await using service = await serve({ maxConnections: 2 })
    const sockets = [await open(service), await open(service)]
    expect(await readAll(await open(service))).toBe('')
    sockets[0]?.end(`${live}Connection: close\r\n\r\n`)
    expect(await readAll(sockets[0] as Socket)).toContain('HTTP/1.1 200 OK')
    await expectLive(service)
    sockets[1]?.destroy()
  })

  test('with too many requests that wait are cut, and what they asked is cancelled', async () => {
    await using service = await serve({ maxPipelinedRequests: 2 })
    const fine = await open(service)
    fine.write(slow + slow)
    for (let i = 0; i < 2; i++) await answerSlow()
    await once(fine, 'data')
    fine.destroy()
    const greedy = await open(service)
    greedy.write(slow)
    const { requests, finish } = await backend.next()
    const cancelled = once(requests[0]?.signal as AbortSignal, 'abort')
    greedy.write(slow + slow)
    expect(await readAll(greedy)).toBe('')
    await cancelled
    finish()
    await expectLive(service)
  })
})

describe('headers', () => {
  test('that are too large, a long URL among them, are refused', async () => {
    await using service = await serve({ maxHeaderSize: 1000 })
    for (const text of [
      `${live}X: ${'x'.repeat(1000)}\r\n\r\n`,
      `GET /${'x'.repeat(1000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]) {
      const socket = await open(service)
      socket.write(text)
      expect(await readAll(socket)).toMatch(/^HTTP\/1.1 431 .*{"error":"Request Header Fields Too Large"}$/s)
    }
  })

  test('that are too many are refused instead of left out', async () => {
    await using service = await serve({ maxHeaders: 5 })
    const ask = async (count: number): Promise<string> => {
      const socket = await open(service)
      socket.write(`${live}${'X: y\r\n'.repeat(count)}Connection: close\r\n\r\n`)
      return readAll(socket)
    }
    expect(await ask(3)).toContain('HTTP/1.1 200 OK')
    expect(await ask(4)).toMatch(/^HTTP\/1.1 431 .*{"error":"Request Header Fields Too Large"}$/s)
  })
})

describe('clients that are slow', () => {
  const soon = { headersTimeout: 100, requestTimeout: 100 }
  const timedOut = /^HTTP\/1.1 408 .*{"error":"Request Timeout"}$/s

  test.each([
    ['with headers', 'GET /v2 HTT'],
    ['with everything', ''],
    ['with a body', slow.slice(0, -5)],
    [
      'with a chunked body',
      'POST /v2/models/fp32/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    ],
  ])('%s are told so and let go', async (_, text) => {
    await using service = await serve(soon)
    const socket = await open(service)
    socket.write(text)
    expect(await readAll(socket)).toMatch(timedOut)
    await expectLive(service)
  })

  test('hear nothing of it before the answers that are due, and those are their last', async () => {
    await using service = await serve(soon)
    const socket = await open(service)
    socket.write(`${slow}POST /v2`)
    const { requests, finish } = await backend.next()
    // Takes as long as a client has for its headers.
    await readAll(await open(service))
    requests[0]?.respond({ outputs: { OUTPUT0: requests[0].inputs.get('INPUT0') as never } })
    finish()
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 OK.*"data":\[1.0\][^\n]*$/s)
  })

  const large = Buffer.alloc(16 << 20)
  const largeRequest = `POST /v2/models/fp32/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: 0\r\nContent-Length: ${large.length}\r\n\r\n`

  test('to take their answer are cut', async () => {
    const service = await serve({ sendTimeout: 100 })
    const socket = await open(service)
    socket.write(largeRequest)
    socket.write(large)
    await once(socket, 'readable')
    // Resolves when no connection is left.
    await service.close({ timeout: 3600 })
    socket.destroy()
  })

  test('to take a stream end it', async () => {
    const ending = new EventTarget()
    const ended = once(ending, 'end')
    const endless: BodyStream = {
      next: async () => ({ done: false, value: [large] }),
      async return() {
        ending.dispatchEvent(new Event('end'))
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => endless,
    }
    const answer = async () => ({ status: 200, headers: [], body: endless })
    const service = await Service.listen(answer, { port: 0, host, sendTimeout: 100 })
    const socket = await open(service)
    socket.write(`${live}\r\n`)
    await once(socket, 'readable')
    await service.close({ timeout: 3600 })
    await ended
    socket.destroy()
  })

  test('are not those who wait for their model', async () => {
    await using service = await serve({ sendTimeout: 500, headersTimeout: 1000 })
    const socket = await open(service)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // An answer that takes a while to send, and behind it one that takes a while to come.
    socket.write(largeRequest)
    socket.write(large)
    socket.write(slow)
    const { requests, finish } = await backend.next()
    // Takes as long as a client has for its headers.
    await readAll(await open(service))
    requests[0]?.respond({ outputs: { OUTPUT0: requests[0].inputs.get('INPUT0') as never } })
    finish()
    while (!Buffer.concat(chunks.slice(-2)).includes('"data":[1.0]')) await once(socket, 'data')
    socket.destroy()
  })
})

test('more requests than the server works on are sent away, but for health checks', async () => {
  await using service = await serve({ maxRequests: 1 })
  const post = (): Promise<Response> =>
    fetch(`http://${host}:${service.port}/v2/models/slow/infer`, { method: 'POST', body: slowBody })
  const answer = post()
  const { requests, finish } = await backend.next()
  const refused = await post()
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    503,
    '1',
    { error: 'the server works on 1 requests, the most that it takes at a time; try again later' },
  ])
  await expectLive(service)
  requests[0]?.respond({ outputs: { OUTPUT0: requests[0].inputs.get('INPUT0') as never } })
  finish()
  expect((await answer).status).toBe(200)
  const again = post()
  await answerSlow()
  expect((await again).status).toBe(200)
})

test.each<[ServeHttpOptions, string]>([
  [{ maxConnections: 0 }, 'maxConnections must be a whole number of at least 1, got 0'],
  [{ maxHeaders: 1.5 }, 'maxHeaders must be a whole number of at least 1, got 1.5'],
  [{ sendTimeout: Number.NaN }, 'sendTimeout must be a whole number of at least 1, got NaN'],
  [{ headersTimeout: 200, requestTimeout: 100 }, 'headersTimeout must be at most requestTimeout, got 200 and 100'],
  [{ maxRequests: 0 }, 'maxRequests must be a whole number above 0, got 0'],
])('%j makes no sense', async (options, message) => {
  await expect(serve(options)).rejects.toMatchObject({ code: 'INVALID_ARG', message })
})

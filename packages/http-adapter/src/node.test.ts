import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import type { Authorize } from '@triton-ts/protocol'
import { manualBackend } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpService, serveHttp, serveMetrics } from './node.ts'
import { binaryBody, inferBody, type TestServer, testServer } from './test-server.ts'

const backend = manualBackend()
let fixture: TestServer
let http: HttpService

beforeAll(async () => {
  fixture = await testServer([backend])
  http = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await http.close()
  await fixture[Symbol.asyncDispose]()
})

const inferPath = '/v2/models/fp32/infer'
const url = (path: string, service = http): string => `http://127.0.0.1:${service.port}${path}`
const infer = (body: string, model = 'fp32'): Promise<Response> =>
  fetch(url(`/v2/models/${model}/infer`), { method: 'POST', body, headers: { 'Accept-Encoding': 'identity' } })

async function open(port = http.port): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
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

const post = (body: string, more = ''): string =>
  `POST ${inferPath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`

describe('requests', () => {
  test('every answer has a length', async () => {
    const response = await infer(inferBody([1, 2]))
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(JSON.parse(text)).toMatchObject({ outputs: [{ data: [1, 2] }] })
    const empty = await fetch(url('/v2/health/live'))
    expect([empty.status, empty.headers.get('content-length'), await empty.text()]).toEqual([200, '0', ''])
  })

  test('text beyond Latin-1 and big answers', async () => {
    const strings = ['日本', 'é', '😀']
    expect(await (await infer(inferBody(strings, 'BYTES'), 'string')).json()).toMatchObject({
      outputs: [{ data: strings }],
    })
    const values = Array.from({ length: 100_000 }, (_, i) => Math.fround(i / 3))
    const answer = (await (await infer(inferBody(values))).json()) as { outputs: { data: number[] }[] }
    expect(answer.outputs[0]?.data).toEqual(values)
  })

  test('large binary tensors, in and out', async () => {
    const floats = Float32Array.from({ length: 200_000 }, (_, i) => i)
    const bytes = Buffer.from(floats.buffer)
    const response = await fetch(url(inferPath), {
      method: 'POST',
      headers: { 'Inference-Header-Content-Length': '0' },
      body: bytes,
    })
    const length = Number(response.headers.get('inference-header-content-length'))
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(length)
        .equals(bytes),
    ).toBe(true)
  })

  test('large binary tensors behind JSON are views that need no copy', async () => {
    const bytes = Buffer.from(Float32Array.from({ length: 50_000 }, (_, i) => i).buffer)
    const { byteLength } = bytes
    for (const id of ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg']) {
      const inputs = [
        { name: 'INPUT0', datatype: 'FP32', shape: [1, 50_000], parameters: { binary_data_size: byteLength } },
      ]
      const { body, headerLength } = binaryBody({ id, inputs }, bytes)
      const headers = { 'Inference-Header-Content-Length': headerLength }
      expect((await fetch(url(inferPath), { method: 'POST', headers, body })).status).toBe(200)
      const tensor = fixture.seen.at(-1)?.inputs.get('INPUT0')
      expect(tensor?.bytes.byteOffset).toSatisfy((offset: number) => offset % 8 === 0)
      expect(tensor?.data).toHaveProperty('buffer', tensor?.bytes.buffer)
    }
  })

  test('several requests on one connection, sent at once', async () => {
    const socket = await open()
    socket.write(post(inferBody([1])) + post(inferBody([2])) + post(inferBody([3]), 'Connection: close\r\n'))
    const text = await readAll(socket)
    expect([...text.matchAll(/"data":\[(\d\.0)\]/g)].map((match) => match[1])).toEqual(['1.0', '2.0', '3.0'])
  })

  test('a body that comes byte by byte', async () => {
    const socket = await open()
    for (const byte of post(inferBody([7]), 'Connection: close\r\n')) socket.write(byte)
    expect(await readAll(socket)).toContain('"data":[7.0]')
  })

  const chunked = (options: RequestOptions = {}) =>
    httpRequest(url(inferPath), { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, ...options })

  async function answerOf(request: ReturnType<typeof httpRequest>): Promise<[number, string]> {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of response) text += chunk
    return [response.statusCode as number, text]
  }

  test('a chunked body', async () => {
    const request = chunked()
    const body = inferBody([1, 2, 3])
    for (let at = 0; at < body.length; at += 10) request.write(body.slice(at, at + 10))
    request.end()
    const [status, text] = await answerOf(request)
    expect([status, JSON.parse(text)]).toMatchObject([200, { outputs: [{ data: [1, 2, 3] }] }])
  })

  test('a chunked body of more chunks than allowed', async () => {
    const socket = await open()
    const answer = readAll(socket)
    socket.on('error', () => {})
    socket.write(`POST ${inferPath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
    socket.write('1\r\n \r\n'.repeat(65_537))
    const text = await answer
    expect(text).toContain('HTTP/1.1 400')
    expect(text).toContain('Chunked request body exceeds maximum of 65536 non-empty chunks.')
    expect(text).toContain('Connection: close')
  })

  test('an error before the body is read does not spoil the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 3; i++) {
      const request = chunked({ agent, path: '/v2/models/nope/infer' })
      request.end('x'.repeat(200_000))
      expect((await answerOf(request))[0]).toBe(404)
    }
    agent.destroy()
  })

  test('what is no HTTP', async () => {
    const socket = await open()
    socket.write('nonsense\r\n\r\n')
    expect(await readAll(socket)).toContain('HTTP/1.1 400 Bad Request')
    const long = await open()
    long.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)
    expect(await readAll(long)).toContain('HTTP/1.1 431 ')
  })

  test('a body that ends early, and a client that leaves', async () => {
    for (const left of [1, 100]) {
      const socket = await open()
      socket.write(post(inferBody([1]), 'Connection: close\r\n').slice(0, -left))
      socket.end()
      expect(await readAll(socket)).not.toContain('HTTP/1.1 200')
    }
    expect((await infer(inferBody([1]))).status).toBe(200)
  })
})

test('a client that disconnects aborts its request', async () => {
  const controller = new AbortController()
  const answer = fetch(url('/v2/models/slow/infer'), {
    method: 'POST',
    body: inferBody([1], 'FP32', [1]),
    signal: controller.signal,
  })
  const refused = expect(answer).rejects.toThrow()
  const execution = await backend.next()
  const [request] = execution.requests
  expect(request?.isCancelled).toBe(false)
  const aborted = once(request?.signal as AbortSignal, 'abort')
  controller.abort()
  await aborted
  await refused
  request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
  execution.finish()
  expect((await infer(inferBody([1]))).status).toBe(200)
})

test('parameters that the model gives its response', async () => {
  const answer = infer(inferBody([1], 'FP32', [1]), 'slow')
  const { requests, finish } = await backend.next()
  const parameters = { finish_reason: 'length', tokens: 3, cost: 0.5, cached: true }
  requests[0]?.respond({ outputs: { OUTPUT0: requests[0].inputs.get('INPUT0') as never }, parameters })
  finish()
  expect(await (await answer).json()).toMatchObject({ parameters })
})

describe('the service', () => {
  test('closing waits for what runs and cuts idle connections', async () => {
    const service = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
    const { port } = service
    const silent = await open(port)
    const answer = fetch(`http://127.0.0.1:${port}/v2/models/slow/infer`, {
      method: 'POST',
      body: inferBody([5], 'FP32', [1]),
    })
    const execution = await backend.next()
    let isClosed = false
    const closed = service.close().then(() => {
      isClosed = true
    })
    await once(silent, 'close')
    await expect(fetch(`http://127.0.0.1:${port}/v2`)).rejects.toThrow()
    expect(isClosed).toBe(false)
    const [request] = execution.requests
    request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
    execution.finish()
    const response = await answer
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.json()).toMatchObject({ outputs: [{ data: [5] }] })
    await closed
    expect(service.close()).toBe(service.close())
  })

  test('what does not end in time is cut', async () => {
    const service = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
    const answer = fetch(`http://127.0.0.1:${service.port}/v2/models/slow/infer`, {
      method: 'POST',
      body: inferBody([5], 'FP32', [1]),
    })
    const refused = expect(answer).rejects.toThrow()
    const execution = await backend.next()
    await service.close({ timeout: 0 })
    await refused
    const [request] = execution.requests
    request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
    execution.finish()
  })

  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    await expect(serveHttp(fixture.server, { port, host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `Socket '127.0.0.1:${port}' already in use `,
    })
    other.close()
  })

  test('is reached from this machine alone, unless somebody says otherwise', async () => {
    await using http = await serveHttp(fixture.server, { port: 0 })
    await using metrics = await serveMetrics(fixture.server, { port: 0 })
    await using open = await serveHttp(fixture.server, { port: 0, host: '0.0.0.0' })
    expect([http.address, metrics.address, open.address]).toEqual(['127.0.0.1', '127.0.0.1', '0.0.0.0'])
  })

  test('its address', () => {
    expect(http.address).toBe('127.0.0.1')
    expect(http.port).toBeGreaterThan(0)
  })
})

test('metrics', async () => {
  await using service = await serveMetrics(fixture.server, { port: 0, host: '127.0.0.1' })
  for (const path of ['/metrics', '/metrics/']) {
    const response = await fetch(url(path, service))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toContain('nv_inference_request_success')
  }
  const other = await fetch(url('/other', service))
  expect([other.status, await other.text()]).toEqual([200, ''])
  expect((await fetch(url('/metrics', service), { method: 'POST' })).status).toBe(405)
  expect((await fetch(url('/metrics'))).status).toBe(404)
})

test('metrics are for those who are authorized', async () => {
  const authorize: Authorize = ({ api, path, peer, header }) =>
    api === 'metrics' && path === '/metrics' && peer === '127.0.0.1' && header('x-api-key') === 'k'
  await using service = await serveMetrics(fixture.server, { port: 0, authorize })
  const refused = await fetch(url('/metrics', service))
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect(await refused.json()).toEqual({ error: "not authorized for 'metrics': valid credentials are needed" })
  expect((await fetch(url('/', service))).status).toBe(401)
  expect((await fetch(url('/metrics', service), { headers: { 'x-api-key': 'k' } })).status).toBe(200)
})

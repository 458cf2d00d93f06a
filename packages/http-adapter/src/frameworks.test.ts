import { once } from 'node:events'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Server } from '@triton-ts/core'
import { manualBackend } from '@triton-ts/testing'
import express from 'express'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kserve as expressKserve } from './express.ts'
import { kserve as fastifyKserve } from './fastify.ts'
import { fetchHandler } from './fetch.ts'
import { binaryBody, inferBody, type TestServer, testServer } from './test-server.ts'

const backend = manualBackend()
let fixture: TestServer

beforeAll(async () => {
  fixture = await testServer([backend])
})
afterAll(() => fixture[Symbol.asyncDispose]())

interface Application extends AsyncDisposable {
  readonly url: string
}

async function listen(app: express.Express): Promise<Application> {
  const listener = app.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections()
      listener.close()
    },
  }
}

const hosts: Record<string, (server: Server) => Promise<Application>> = {
  'Express at /v2': (server) => listen(express().use('/v2', expressKserve(server))),
  'Express at the root': (server) => listen(express().use(expressKserve(server))),
  'Express below another path': async (server) => {
    const { url, ...rest } = await listen(express().use('/ai', expressKserve(server)))
    return { url: `${url}/ai`, ...rest }
  },
  'Express behind a body parser': (server) =>
    listen(
      express()
        .use(express.json(), express.raw({ type: '*/*' }))
        .use('/v2', expressKserve(server)),
    ),
  Fastify: async (server) => {
    const fastify = Fastify({ forceCloseConnections: true })
    fastify.register(fastifyKserve, { server })
    return { url: await fastify.listen({ port: 0, host: '127.0.0.1' }), [Symbol.asyncDispose]: () => fastify.close() }
  },
  'Fastify with a prefix': (server) => listenBelow(server, '/ai', '/ai'),
  'Fastify with a prefix that ends in a slash': (server) => listenBelow(server, '/ai/', '/ai'),
  'Fastify with a parameter in its prefix': (server) => listenBelow(server, '/:tenant/ai', '/acme/ai'),
}

async function listenBelow(server: Server, prefix: string, path: string): Promise<Application> {
  const fastify = Fastify({ forceCloseConnections: true })
  fastify.register(fastifyKserve, { server, prefix })
  const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
  return { url: url + path, [Symbol.asyncDispose]: () => fastify.close() }
}

describe.each(Object.entries(hosts))('%s', (name, start) => {
  test('answers the protocol', async () => {
    await using app = await start(fixture.server)
    const call = (path: string, init?: RequestInit): Promise<Response> => fetch(app.url + path, init)
    expect(await (await call('/v2')).json()).toEqual(fixture.server.metadata())
    expect((await call('/v2/health/ready?x=1')).status).toBe(200)
    expect((await call('/v2/other')).status).toBe(404)
    const json = { method: 'POST', body: inferBody([1, 2]), headers: { 'Content-Type': 'application/json' } }
    expect(await (await call('/v2/models/fp32/infer', json)).json()).toMatchObject({ outputs: [{ data: [1, 2] }] })
    const inputs = [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], parameters: { binary_data_size: 8 } }]
    const { body, headerLength } = binaryBody({ inputs }, Buffer.from(Float32Array.of(3, 4).buffer))
    const headers = { 'Content-Type': 'application/octet-stream', 'Inference-Header-Content-Length': headerLength }
    const binary = await call('/v2/models/fp32/infer', { method: 'POST', body, headers })
    expect(await binary.json()).toMatchObject({ outputs: [{ data: [3, 4] }] })
    const bare = await call('/v2/repository/index', { method: 'POST' })
    expect(await bare.json()).toEqual(await fixture.server.index())
    const error = await call('/v2/models/fp32/infer', { ...json, body: '{}' })
    expect(error.status).toBe(500)
  })

  test('a client that disconnects aborts its request', async () => {
    if (name.includes('body parser')) return
    await using app = await start(fixture.server)
    const controller = new AbortController()
    const body = inferBody([1], 'FP32', [1])
    const answer = fetch(`${app.url}/v2/models/slow/infer`, { method: 'POST', body, signal: controller.signal })
    const refused = expect(answer).rejects.toThrow()
    await cancelledBy(() => controller.abort())
    await refused
  })
})

/** Takes the waiting request, does `leave`, and sees the request cancelled. */
async function cancelledBy(leave: () => void): Promise<void> {
  const execution = await backend.next()
  const [request] = execution.requests
  const aborted = once(request?.signal as AbortSignal, 'abort')
  leave()
  await aborted
  request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
  execution.finish()
}

const readTooEarly =
  '{"error":"the request body was read before kserve(); mount it before body parsers, or keep the bytes in req.rawBody"}'

test('Express: what parsers make of compressed and of form bodies', async () => {
  await using app = await listen(
    express()
      .use(express.json(), express.urlencoded(), express.raw({ type: 'application/octet-stream' }))
      .use('/v2', expressKserve(fixture.server)),
  )
  const infer = (type: string, encoding: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> => {
    const headers = { 'Content-Type': type, 'Content-Encoding': encoding }
    return fetch(`${app.url}/v2/models/fp32/infer`, { method: 'POST', headers, body })
  }
  const zipped = new Uint8Array(gzipSync(inferBody([1, 2])))
  for (const type of ['application/json', 'application/octet-stream']) {
    expect(await (await infer(type, 'gzip', zipped)).json()).toMatchObject({ outputs: [{ data: [1, 2] }] })
  }
  const form = await infer('application/x-www-form-urlencoded', 'identity', inferBody([1]))
  expect([form.status, await form.text()]).toEqual([500, readTooEarly])
})

test('Fastify: headers that hooks have set', async () => {
  const fastify = Fastify({ forceCloseConnections: true })
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('Access-Control-Allow-Origin', '*').header('Content-Type', 'text/html')
  })
  fastify.register(fastifyKserve, { server: fixture.server })
  const { headers } = await fastify.inject({ url: '/v2' })
  expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'content-type': 'application/json' })
  await fastify.close()
})

test('Fastify over HTTP/2: a body needs no length', async () => {
  const fastify = Fastify({ http2: true })
  fastify.register(fastifyKserve, { server: fixture.server })
  const client = connect(await fastify.listen({ port: 0, host: '127.0.0.1' }))
  const stream = client.request({ ':method': 'POST', ':path': '/v2/models/fp32/infer' })
  stream.end(inferBody([1, 2]))
  expect(JSON.parse(await text(stream))).toMatchObject({ outputs: [{ data: [1, 2] }] })
  client.close()
  await fastify.close()
})

test('Express: what a body parser left over is told', async () => {
  await using app = await listen(
    express()
      .use((request, _response, next) => {
        request.resume()
        request.on('end', next)
      })
      .use('/v2', expressKserve(fixture.server)),
  )
  const response = await fetch(`${app.url}/v2/models/fp32/infer`, { method: 'POST', body: inferBody([1]) })
  expect([response.status, await response.text()]).toEqual([500, readTooEarly])
})

test('Express and Fastify: the rest of the application is untouched', async () => {
  const app = express().use(expressKserve(fixture.server))
  app.get('/v2ish', (_request, response) => {
    response.send('mine')
  })
  await using running = await listen(app)
  expect(await (await fetch(`${running.url}/v2ish`)).text()).toBe('mine')
  const fastify = Fastify({ forceCloseConnections: true })
  fastify.register(fastifyKserve, { server: fixture.server })
  fastify.post('/echo', (request) => request.body)
  const answer = await fastify.inject({ method: 'POST', url: '/echo', payload: { a: 1 } })
  expect(answer.json()).toEqual({ a: 1 })
  await fastify.close()
})

describe('fetch', () => {
  test('any path that contains /v2', async () => {
    const handle = fetchHandler(fixture.server)
    for (const path of ['/v2', '/api/v2', '/a/b/v2']) {
      expect(await (await handle(new Request(`http://host${path}`))).json()).toEqual(fixture.server.metadata())
    }
    expect((await handle(new Request('http://host/v2x'))).status).toBe(404)
  })

  test('bodies that stream, that break off, and that somebody has read', async () => {
    const handle = fetchHandler(fixture.server)
    const post = (body: NonNullable<RequestInit['body']>): Request =>
      new Request('http://host/v2/models/fp32/infer', { method: 'POST', body, duplex: 'half' } as RequestInit)
    const bytes = Buffer.from(inferBody([1, 2]))
    const pieces = ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte)))
    expect(await (await handle(post(pieces))).json()).toMatchObject({ outputs: [{ data: [1, 2] }] })
    const broken = await handle(post(new ReadableStream({ pull: (stream) => stream.error(new Error('gone')) })))
    expect([broken.status, await broken.json()]).toEqual([400, { error: 'the client closed the connection' }])
    const read = post(inferBody([1]))
    await read.text()
    const late = await handle(read)
    expect([late.status, await late.json()]).toEqual([
      500,
      { error: 'the request body was read before fetchHandler()' },
    ])
  })

  test('aborting the request cancels it', async () => {
    const controller = new AbortController()
    const body = inferBody([1], 'FP32', [1])
    const url = 'http://host/v2/models/slow/infer'
    const answer = fetchHandler(fixture.server)(new Request(url, { method: 'POST', body, signal: controller.signal }))
    await cancelledBy(() => controller.abort())
    expect([(await answer).status, await (await answer).json()]).toEqual([400, { error: 'the request was cancelled' }])
  })
})

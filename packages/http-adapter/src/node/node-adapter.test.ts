import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHandler } from '../handler.ts'
import { inferBody, type TestServer, testServer } from '../test-server.ts'
import { NodeAdapter } from './node-adapter.ts'

const path = '/v2/models/fp32/infer'
let fixture: TestServer
let adapter: NodeAdapter

beforeAll(async () => {
  fixture = await testServer()
  adapter = new NodeAdapter(createHandler(fixture.server))
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function listen(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const http = createServer(listener).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return http
}

test('a client that left before the body was asked for', async () => {
  const http = await listen(() => {})
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{`)
  const [request, response] = (await once(http, 'request')) as [IncomingMessage, ServerResponse]
  const left = new Promise((resolve) => request.once('close', resolve))
  socket.destroy()
  await left
  await adapter.handle(request, response, path)
  expect(response.headersSent).toBe(false)
  http.close()
})

test('an answer that the application has begun itself stands', async () => {
  const http = await listen(async (request, response) => {
    response.writeHead(503).write('too ')
    await adapter.handle(request, response, path)
    for (let turn = 0; turn < 2; turn++) await setImmediate()
    response.end('late')
  })
  const { port } = http.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: inferBody([1]) })
  expect([answer.status, await answer.text()]).toEqual([503, 'too late'])
  http.closeAllConnections()
  http.close()
})

test('any number of requests of a connection may wait for its end', async () => {
  const signals: (AbortSignal | undefined)[] = []
  const listening = new NodeAdapter(async ({ signal }) => {
    signals.push(signal)
    return { status: 200, headers: [], body: '' }
  })
  const http = await listen((request, response) => void listening.handle(request, response, path))
  await (await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)).text()
  const warnings: Error[] = []
  const warn = (warning: Error): number => warnings.push(warning)
  process.on('warning', warn)
  for (let i = 0; i < 20; i++) signals[0]?.addEventListener('abort', () => {})
  await setImmediate()
  process.off('warning', warn)
  expect([signals.length, warnings]).toEqual([1, []])
  http.closeAllConnections()
  http.close()
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { manualBackend } from '@triton-ts/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpService, serveHttp } from '../node.ts'
import { inferBody, type TestServer, testServer } from '../test-server.ts'

const backend = manualBackend()
let fixture: TestServer

beforeAll(async () => {
  fixture = await testServer([backend])
})
afterAll(() => fixture[Symbol.asyncDispose]())

const serve = (): Promise<HttpService> => serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })

/** Longer than a test may take, so that nothing ends because of it. */
const patient = { timeout: 3600 }

async function open({ port }: HttpService): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Everything that comes until the other side closes. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

const post = (value: number, model = 'fp32'): string => {
  const body = inferBody([value], 'FP32', model === 'slow' ? [1] : [1, 1])
  return `POST /v2/models/${model}/infer HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const answers = (text: string): (string | undefined)[] =>
  [...text.matchAll(/"data":\[(.*?)\]/g)].map((match) => match[1])

/** Answers the oldest request to the model `slow`. */
async function answerSlow(): Promise<void> {
  const execution = await backend.next()
  const [request] = execution.requests
  request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
  execution.finish()
}

test('answers keep the order of a pipeline', async () => {
  await using service = await serve()
  const socket = await open(service)
  socket.write(post(0, 'slow') + post(1) + Array.from({ length: 12 }, (_, i) => post(i + 2, 'slow')).join(''))
  for (let i = 0; i < 13; i++) await answerSlow()
  const closed = service.close(patient)
  expect(answers(await readAll(socket))).toEqual(Array.from({ length: 14 }, (_, i) => `${i}.0`))
  await closed
})

test('a pipeline in flight is answered to its end', async () => {
  const service = await serve()
  const socket = await open(service)
  socket.write(post(1, 'slow') + post(2))
  const execution = await backend.next()
  const closed = service.close(patient)
  const [request] = execution.requests
  request?.respond({ outputs: { OUTPUT0: request.inputs.get('INPUT0') as never } })
  execution.finish()
  expect(answers(await readAll(socket))).toEqual(['1.0', '2.0'])
  await closed
})

test('a response that the client reads slowly is not cut', async () => {
  const service = await serve()
  const socket = await open(service)
  const tensor = Buffer.alloc(16 << 20)
  const headers = `Host: x\r\nInference-Header-Content-Length: 0\r\nContent-Length: ${tensor.length}`
  socket.write(`POST /v2/models/fp32/infer HTTP/1.1\r\n${headers}\r\n\r\n`)
  socket.write(tensor)
  await once(socket, 'readable')
  const closed = service.close(patient)
  expect((await readAll(socket)).length).toBeGreaterThan(tensor.length)
  await closed
})

test('a connection whose answer is just leaving ends too', async () => {
  const service = await serve()
  const socket = await open(service)
  socket.write(post(1, 'slow'))
  await answerSlow()
  const closed = service.close(patient)
  expect(answers(await readAll(socket))).toEqual(['1.0'])
  await closed
})

test('a request that crosses with the decision to close is answered', async () => {
  const service = await serve()
  const socket = await open(service)
  socket.write(post(1))
  await once(socket, 'readable')
  const closed = service.close(patient)
  socket.write(post(2))
  const text = await readAll(socket)
  expect(answers(text)).toEqual(['1.0', '2.0'])
  expect(text.match(/^Connection: .*$/gm)?.at(-1)).toBe('Connection: close')
  await closed
})

test('half a request may still become a whole one', async () => {
  const service = await serve()
  const [idle, socket] = [await open(service), await open(service)]
  const text = post(3)
  socket.write(text.slice(0, 30))
  const closed = service.close(patient)
  await once(idle, 'close')
  socket.write(text.slice(30))
  expect(answers(await readAll(socket))).toEqual(['3.0'])
  await closed
})

test('a client that was refused and keeps its side open is let go', async () => {
  const service = await serve()
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write('nonsense\r\n\r\n')
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  expect(String(chunk)).toContain('HTTP/1.1 400 Bad Request')
  await service.close(patient)
  expect(socket.writable).toBe(true)
  socket.destroy()
})

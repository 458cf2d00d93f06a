import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, answerOf, callHeaders, call as callOn, connectTo, framed } from '../fixtures/http2-client.ts'
import { rawService, streamPath, unaryPath } from '../fixtures/raw-service.ts'
import type { GrpcService } from './grpc-service.ts'

let service: GrpcService
let session: ClientHttp2Session

beforeAll(async () => {
  service = await rawService({ maxMetadataSize: 4096, maxReceiveMessageSize: 100_000 })
  session = connectTo(service)
})
afterAll(async () => {
  session.destroy()
  await service.close({ timeout: 0 })
})

const call = (body: Uint8Array | undefined, more?: Record<string, string | undefined>): Promise<Answer> =>
  callOn(session, body, more)

const isServing = async (): Promise<void> => {
  const { status, body } = await call(framed(Buffer.from('still here')))
  expect([status, String(body.subarray(5))]).toEqual(['0', 'still here'])
}

describe('a call that is none of gRPC', () => {
  test('another content type is a 415', async () => {
    expect((await call(framed(Buffer.alloc(1)), { 'content-type': 'application/json' })).httpStatus).toBe(415)
  })

  test('no content type is a 415, and GET a 405', async () => {
    const stream = session.request({ ':path': unaryPath, ':method': 'POST' })
    stream.end()
    expect((await answerOf(stream)).httpStatus).toBe(415)
    expect((await answerOf(session.request({ ':path': unaryPath }))).httpStatus).toBe(405)
  })

  test('variants of the content type are served', async () => {
    expect((await call(framed(Buffer.alloc(1)), { 'content-type': 'application/grpc+proto' })).status).toBe('0')
  })

  test('a proxy that may drop trailers is named', async () => {
    const answer = await call(framed(Buffer.alloc(1)), { te: undefined })
    expect([answer.status, answer.message]).toEqual(['13', "the header 'te: trailers' is missing"])
  })

  test('a timeout that is none is named', async () => {
    const answer = await call(framed(Buffer.alloc(1)), { 'grpc-timeout': 'soon' })
    expect([answer.status, answer.message]).toEqual(['13', "invalid grpc-timeout 'soon'"])
  })
})

describe('a request that is no single message', () => {
  test('no message', async () => {
    const answer = await call(undefined)
    expect([answer.status, answer.message]).toEqual(['12', `received no request for the unary method '${unaryPath}'`])
  })

  test('two messages', async () => {
    const one = framed(Buffer.alloc(1))
    const answer = await call(Buffer.concat([one, one]))
    expect(answer.status).toBe('12')
    expect(answer.message).toBe(`received more than one request for the unary method '${unaryPath}'`)
  })

  test('half a message', async () => {
    const answer = await call(framed(Buffer.alloc(100)).subarray(0, 50))
    expect([answer.status, answer.message]).toEqual(['13', 'the request ends within a message'])
  })

  test('what begins with neither 0 nor 1', async () => {
    expect((await call(framed(Buffer.alloc(3), 7))).status).toBe('13')
  })

  test('a message that is too large is refused before it comes', async () => {
    const stream = session.request(callHeaders)
    const answer = answerOf(stream)
    stream.write(Buffer.from([0, 0, 1, 0x86, 0xa1]))
    expect(await answer).toMatchObject({ status: '8', message: 'Received message larger than max (100001 vs. 100000)' })
  })

  test('a client that says much and sends little costs nothing', async () => {
    const generous = await rawService()
    const client = connectTo(generous)
    const before = process.memoryUsage().rss
    const streams = Array.from({ length: 100 }, () => client.request(callHeaders).on('error', () => {}))
    for (const stream of streams) stream.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]))
    await once(client.request({ ...callHeaders, ':path': '/none' }).end(), 'response')
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
    client.destroy()
    await generous.close({ timeout: 0 })
  })
})

test('messages are cut into DATA frames as the client likes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }), async (cuts) => {
      const messages = ['one', 'two and a bit', '', 'three'].map((text) => framed(Buffer.from(text)))
      const bytes = Buffer.concat(messages)
      const stream = session.request({ ...callHeaders, ':path': streamPath })
      const answer = answerOf(stream)
      let at = 0
      for (const size of cuts) {
        const piece = bytes.subarray(at, at + size)
        if (piece.length > 0) await new Promise((resolve) => stream.write(piece, resolve))
        at += size
      }
      stream.end(bytes.subarray(at))
      expect((await answer).body.equals(bytes)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

describe('limits', () => {
  test('metadata that is too large is reset', async () => {
    const answer = await call(framed(Buffer.alloc(1)), { large: 'x'.repeat(10_000) })
    expect(answer.resetCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    await isServing()
  })

  test('a client is told how many calls it may have', async () => {
    await using small = await rawService({ maxConcurrentCalls: 3 })
    const client = connectTo(small)
    const [settings] = await once(client, 'remoteSettings')
    expect(settings.maxConcurrentStreams).toBe(3)
    client.destroy()
  })

  test('connections beyond the limit are closed as they come', async () => {
    await using small = await rawService({ maxConnections: 1 })
    const first = connectTo(small)
    await once(first, 'remoteSettings')
    const second = connect(small.port, '127.0.0.1')
    await once(second.resume(), 'close')
    first.destroy()
  })

  test('a connection on which nothing comes is closed', async () => {
    await using impatient = await rawService({ handshakeTimeout: 20 })
    const socket = connect(impatient.port, '127.0.0.1')
    await once(socket.resume(), 'close')
  })
})

test('a client that takes nothing does not hold others up', async () => {
  const client = connectHttp2(`http://127.0.0.1:${service.port}`, { settings: { initialWindowSize: 0 } })
  const stream = client.request({ ...callHeaders, ':path': streamPath }).on('error', () => {})
  for (let i = 0; i < 50; i++) stream.write(framed(Buffer.alloc(90_000)))
  await once(stream, 'response')
  await isServing()
  client.destroy()
})

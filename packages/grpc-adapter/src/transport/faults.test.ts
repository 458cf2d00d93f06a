import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { virtualClock } from '@triton-ts/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rawService, streamPath, unaryPath } from '../fixtures/raw-service.ts'
import type { GrpcService } from './grpc-service.ts'

let service: GrpcService
let session: ClientHttp2Session

const connectTo = ({ port }: GrpcService): ClientHttp2Session => connectHttp2(`http://127.0.0.1:${port}`)

beforeAll(async () => {
  service = await rawService({ maxMetadataSize: 4096, maxReceiveMessageSize: 100_000 })
  session = connectTo(service)
})
afterAll(async () => {
  session.destroy()
  await service.close({ timeout: 0 })
})

const framed = (bytes: Uint8Array, flag = 0): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(bytes.byteLength, 1)
  return Buffer.concat([head, bytes])
}

const headers = {
  ':method': 'POST',
  ':path': unaryPath,
  'content-type': 'application/grpc',
  te: 'trailers',
}

interface Answer {
  readonly httpStatus: number
  readonly status: string | undefined
  readonly message: string | undefined
  readonly headers: Record<string, unknown>
  readonly body: Buffer
  readonly resetCode: number
}

/** Everything that comes of a call. */
async function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  let head: Record<string, unknown> = {}
  let trailers: Record<string, unknown> = {}
  const chunks: Buffer[] = []
  stream.on('response', (headers) => {
    head = headers
  })
  stream.on('trailers', (headers) => {
    trailers = headers
  })
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('error', () => {})
  // A client closes its side when it has the status.
  stream.on('end', () => stream.close())
  await new Promise((resolve) => stream.on('close', resolve))
  const all: Record<string, unknown> = { ...head, ...trailers }
  const text = (name: string): string | undefined => (all[name] === undefined ? undefined : String(all[name]))
  return {
    httpStatus: Number(head[':status']),
    status: text('grpc-status'),
    message: text('grpc-message'),
    headers: head,
    body: Buffer.concat(chunks),
    resetCode: stream.rstCode,
  }
}

function call(body: Uint8Array | undefined, more: Record<string, string | undefined> = {}): Promise<Answer> {
  const stream = session.request({ ...headers, ...more })
  const answer = answerOf(stream)
  stream.end(body)
  return answer
}

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
    const stream = session.request(headers)
    const answer = answerOf(stream)
    stream.write(Buffer.from([0, 0, 1, 0x86, 0xa1]))
    expect(await answer).toMatchObject({ status: '8', message: 'Received message larger than max (100001 vs. 100000)' })
  })

  test('a client that says much and sends little costs nothing', async () => {
    const generous = await rawService()
    const client = connectTo(generous)
    const before = process.memoryUsage().rss
    const streams = Array.from({ length: 100 }, () => client.request(headers).on('error', () => {}))
    for (const stream of streams) stream.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]))
    await once(client.request({ ...headers, ':path': '/none' }).end(), 'response')
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
    client.destroy()
    await generous.close({ timeout: 0 })
  })
})

describe('compression', () => {
  const bytes = Buffer.alloc(50_000, 'abc')

  test('an unknown encoding is refused, with those that are read', async () => {
    const answer = await call(framed(bytes, 1), { 'grpc-encoding': 'snappy' })
    expect(answer.status).toBe('12')
    expect(answer.message).toBe("unknown grpc-encoding 'snappy', this server reads identity, deflate, gzip")
    expect(answer.headers['grpc-accept-encoding']).toBe('identity, deflate, gzip')
  })

  test('each message says itself whether it is compressed', async () => {
    const encoding = { 'grpc-encoding': 'gzip', ':path': streamPath }
    const answer = await call(Buffer.concat([framed(gzipSync(bytes), 1), framed(bytes)]), encoding)
    expect(answer.status).toBe('0')
    expect(answer.body.equals(Buffer.concat([framed(bytes), framed(bytes)]))).toBe(true)
  })

  test('a compressed message without encoding is an error', async () => {
    expect((await call(framed(gzipSync(bytes), 1))).status).toBe('13')
  })

  test('what cannot be decompressed is an error', async () => {
    const answer = await call(framed(Buffer.from('nonsense'), 1), { 'grpc-encoding': 'gzip' })
    expect([answer.status, answer.message]).toEqual(['13', "failed to decompress a message of encoding 'gzip'"])
  })

  test('a bomb is refused', async () => {
    const bomb = framed(gzipSync(Buffer.alloc(10_000_000)), 1)
    expect((await call(bomb, { 'grpc-encoding': 'gzip' })).status).toBe('8')
  })

  test('a response says how it is compressed', async () => {
    await using compressing = await rawService({ compressionLevel: 'low', api: 'inference' })
    const client = connectTo(compressing)
    const stream = client.request({ ...headers, 'grpc-accept-encoding': 'gzip' })
    const answer = answerOf(stream)
    stream.end(framed(bytes))
    const { body, headers: head } = await answer
    expect([head['grpc-encoding'], body[0]]).toEqual(['gzip', 1])
    client.destroy()
  })
})

test('messages are cut into DATA frames as the client likes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }), async (cuts) => {
      const messages = ['one', 'two and a bit', '', 'three'].map((text) => framed(Buffer.from(text)))
      const bytes = Buffer.concat(messages)
      const stream = session.request({ ...headers, ':path': streamPath })
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

describe('what is no HTTP/2', () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const frame = (type: number, flags: number, id: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.byteLength, 0, 3)
    head[3] = type
    head[4] = flags
    head.writeUInt32BE(id, 5)
    return Buffer.concat([head, payload])
  }

  /** Sends bytes, and resolves when the server has closed. */
  async function ends(bytes: Uint8Array): Promise<void> {
    const socket: Socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(bytes)
    await once(socket.resume(), 'close')
  }

  test.each([
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['noise', Buffer.alloc(4096, 0xa5)],
    ['data without headers', Buffer.concat([preface, settings, frame(0, 1, 1, Buffer.alloc(3))])],
    ['a frame that is too long', Buffer.concat([preface, settings, frame(0, 0, 1, Buffer.alloc(70_000))])],
    ['headers on an even stream', Buffer.concat([preface, settings, frame(1, 5, 2, Buffer.from([0x83, 0x86]))])],
    ['settings of a wrong size', Buffer.concat([preface, frame(4, 0, 0, Buffer.alloc(5))])],
    ['a continuation of nothing', Buffer.concat([preface, settings, frame(9, 4, 1)])],
    ['headers that cannot be decoded', Buffer.concat([preface, settings, frame(1, 5, 1, Buffer.alloc(20, 0xff))])],
    [
      'a window beyond its limit',
      Buffer.concat([preface, settings, frame(8, 0, 0, Buffer.from([0x7f, 255, 255, 255]))]),
    ],
  ])('%s ends the connection, and no other', async (_, bytes) => {
    await ends(bytes)
    await isServing()
  })

  test('a client that leaves within a frame', async () => {
    const socket = connect(service.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.end(Buffer.concat([preface, settings, frame(0, 0, 1, Buffer.alloc(100)).subarray(0, 30)]))
    await once(socket.resume(), 'close')
    await isServing()
  })

  test('a client that opens and resets calls without end loses its connection', async () => {
    await using patient = await rawService({ clock: virtualClock() })
    const client = connectTo(patient)
    client.on('error', () => {})
    const closed = new Promise((resolve) => client.on('close', resolve))
    const flood = (): void => {
      for (let i = 0; i < 100 && !client.destroyed; i++) {
        const stream = client.request(headers)
        stream.on('error', () => {})
        stream.close(constants.NGHTTP2_CANCEL)
      }
      if (!client.destroyed) setImmediate(flood)
    }
    flood()
    await closed
    await isServing()
  })
})

test('a client that takes nothing does not hold others up', async () => {
  const client = connectHttp2(`http://127.0.0.1:${service.port}`, { settings: { initialWindowSize: 0 } })
  const stream = client.request({ ...headers, ':path': streamPath }).on('error', () => {})
  for (let i = 0; i < 50; i++) stream.write(framed(Buffer.alloc(90_000)))
  await once(stream, 'response')
  await isServing()
  client.destroy()
})

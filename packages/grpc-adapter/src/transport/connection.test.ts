import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:net'
import { Metadata, status } from '@grpc/grpc-js'
import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { failureOf, RawClient, rawService, streamPath, unaryPath } from '../fixtures/raw-service.ts'
import type { GrpcService } from './grpc-service.ts'

const none = new Metadata()
const request = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }

async function connected({ port }: GrpcService): Promise<ClientHttp2Session> {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  await once(session, 'remoteSettings')
  // The answer to a ping says that the server has seen everything before it.
  await new Promise((resolve) => session.ping(resolve))
  return session
}

/** The server has seen this many pings before it closes; undefined when it bears ten. */
async function pingsBorne(session: ClientHttp2Session): Promise<number | undefined> {
  for (let i = 0; i < 10; i++) {
    const error = await new Promise((resolve) => session.ping(resolve))
    if (error !== null) return i
  }
  return undefined
}

describe('keepalive', () => {
  test('a silent client with a call is asked, and lives when it answers', async () => {
    const clock = virtualClock()
    await using service = await rawService({ clock, keepaliveTime: 1000, keepaliveTimeout: 100 })
    const session = await connected(service)
    const asked = once(session, 'ping')
    session.request({ ...request, ':path': streamPath }).on('error', () => {})
    await new Promise((resolve) => session.ping(resolve))
    await clock.advance(1000)
    await clock.advance(1000)
    await asked
    await new Promise((resolve) => session.ping(resolve))
    await clock.advance(100)
    expect(session.destroyed).toBe(false)
    session.destroy()
  })

  test('a client that does not answer is cut', async () => {
    const clock = virtualClock()
    const options = { clock, keepaliveTime: 1000, keepaliveTimeout: 100, keepalivePermitWithoutCalls: true }
    await using service = await rawService(options)
    const socket = connect(service.port, '127.0.0.1')
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))
    let isClosed = false
    socket.resume().on('close', () => {
      isClosed = true
    })
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(9)
    await clock.advance(1000)
    await clock.advance(1000)
    expect(isClosed).toBe(false)
    await clock.advance(100)
    await expect.poll(() => isClosed).toBe(true)
  })

  test('a client without calls is left alone', async () => {
    const clock = virtualClock()
    await using service = await rawService({ clock, keepaliveTime: 1000 })
    const session = await connected(service)
    let asked = 0
    session.on('ping', () => asked++)
    for (let i = 0; i < 5; i++) await clock.advance(1000)
    await new Promise((resolve) => session.ping(resolve))
    expect(asked).toBe(0)
    session.destroy()
  })
})

describe('pings of a client', () => {
  test('too many are told so, and end the connection', async () => {
    await using service = await rawService({ clock: virtualClock() })
    const session = await connected(service)
    const goaway = once(session, 'goaway')
    expect(await pingsBorne(session)).toBeLessThan(4)
    const [code, , data] = await goaway
    expect([code, String(data)]).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM, 'too_many_pings'])
  })

  test('any number may come where that is allowed', async () => {
    await using service = await rawService({ clock: virtualClock(), maxPingStrikes: 0 })
    const session = await connected(service)
    expect(await pingsBorne(session)).toBeUndefined()
    session.destroy()
  })

  test('those between the parts of a large response are no strikes', async () => {
    await using service = await rawService({ clock: virtualClock(), unary: () => [Buffer.alloc(2 << 20)] })
    const session = await connected(service)
    const stream = session.request({ ...request, ':path': unaryPath })
    stream.end(Buffer.alloc(5))
    let received = 0
    let pings = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      received += chunk.byteLength
      if (received < (pings + 1) << 17) continue
      expect(await new Promise((resolve) => session.ping(resolve))).toBeNull()
      pings++
    }
    expect(pings).toBe(16)
    session.destroy()
  })

  test('those that take their time are no strikes', async () => {
    const clock = virtualClock()
    await using service = await rawService({ clock, minPingInterval: 1000, keepalivePermitWithoutCalls: true })
    const session = await connected(service)
    for (let i = 0; i < 10; i++) {
      await clock.advance(1000)
      expect(await new Promise((resolve) => session.ping(resolve))).toBeNull()
    }
    session.destroy()
  })
})

describe('age', () => {
  test('an old connection takes no more calls, and its client makes another', async () => {
    const clock = virtualClock()
    await using service = await rawService({ clock, maxConnectionAge: 5000 })
    const session = await connected(service)
    const goaway = once(session, 'goaway')
    await clock.advance(5000)
    await goaway
    await clock.advance(100)
    await once(session, 'close')
    using client = new RawClient(service)
    expect(String(await client.unary(Buffer.from('new'), none))).toBe('new')
  })

  test('after its grace its calls are cut', async () => {
    const clock = virtualClock()
    let isAborted = false
    const stream = (call: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          isAborted = true
          resolve()
        })
      })
    await using service = await rawService({ clock, stream, maxConnectionAge: 5000, maxConnectionAgeGrace: 1000 })
    const session = await connected(service)
    session.request({ ...request, ':path': streamPath }).on('error', () => {})
    await new Promise((resolve) => session.ping(resolve))
    await clock.advance(5900)
    expect([isAborted, session.destroyed]).toEqual([false, false])
    await clock.advance(100)
    await once(session, 'close')
    expect(isAborted).toBe(true)
  })
})

test('a response that a client does not take is dropped when its time is up', async () => {
  const clock = virtualClock()
  await using service = await rawService({ clock, unary: () => [Buffer.alloc(100_000)] })
  const session = await connected(service)
  // A message of three bytes behind its prefix.
  const late = session.request({ ...request, ':path': unaryPath, 'grpc-timeout': '5S' }).on('error', () => {})
  late.end(Buffer.from([0, 0, 0, 0, 3, 1, 2, 3]))
  await once(late, 'response')
  await clock.advance(5000)
  late.resume()
  await once(late, 'close')
  expect(late.rstCode).toBe(constants.NGHTTP2_CANCEL)
  session.destroy()
})

describe('close', () => {
  test('what runs is answered, and new inference is refused with the reason', async () => {
    let go: () => void = () => {}
    const running = new Promise<void>((resolve) => {
      go = resolve
    })
    let calls = 0
    const clock = virtualClock()
    const unary = async (bytes: Uint8Array): Promise<Uint8Array[]> => {
      calls++
      await running
      return [bytes]
    }
    const service = await rawService({ clock, unary, api: 'inference' })
    using client = new RawClient(service)
    const first = client.unary(Buffer.from('accepted'), none)
    await expect.poll(() => calls).toBe(1)
    const session = await connected(service)
    const closed = service.close()
    const late = session.request({ ...request, ':path': unaryPath })
    late.end()
    const [headers] = await once(late, 'response')
    expect(headers).toMatchObject({
      'grpc-status': '14',
      'grpc-message': 'GRPC server is shutting down and has stopped accepting new requests.',
    })
    await clock.advance(100)
    go()
    expect(String(await first)).toBe('accepted')
    await closed
    expect(calls).toBe(1)
  })

  test('a stream ends when what it has asked is answered', async () => {
    const service = await rawService()
    using client = new RawClient(service)
    const stream = client.stream(none)
    stream.write(Buffer.from('one'))
    expect(String((await once(stream, 'data'))[0])).toBe('one')
    const error = once(stream, 'error')
    const closed = service.close()
    const [{ code, details }] = await error
    expect([code, details]).toEqual([
      status.UNAVAILABLE,
      'GRPC server is shutting down and has stopped accepting new requests.',
    ])
    client.close()
    await closed
  })

  test('what takes too long is cut, and its work is aborted', async () => {
    const clock = virtualClock()
    let signal: AbortSignal | undefined
    const unary = (_: Uint8Array, call: { signal: AbortSignal }): Promise<Uint8Array[]> => {
      signal = call.signal
      return new Promise(() => {})
    }
    const service = await rawService({ clock, unary })
    using client = new RawClient(service)
    const failed = failureOf(client.unary(Buffer.alloc(1), none))
    await expect.poll(() => signal).toBeDefined()
    const closed = service.close({ timeout: 5 })
    await clock.advance(5000)
    expect((await failed).code).toBe(status.UNAVAILABLE)
    await closed
    expect(signal?.aborted).toBe(true)
  })

  test('two services in one process are apart, and a taken port is named', async () => {
    await using first = await rawService()
    await using second = await rawService()
    expect(first.port).not.toBe(second.port)
    await expect(rawService({ port: first.port })).rejects.toThrow(`Socket '127.0.0.1:${first.port}' already in use `)
    await first.close()
    using client = new RawClient(second)
    expect(await client.unary(Buffer.from('x'), none)).toEqual(Buffer.from('x'))
  })
})

test.each([
  ['maxReceiveMessageSize', 0],
  ['maxConnections', 1.5],
  ['keepaliveTime', 2 ** 31],
])('the option %s cannot be %d', async (name, value) => {
  await expect(rawService({ [name]: value })).rejects.toThrow(`${name} must be a whole number from 1 to 2147483647`)
})

import { once } from 'node:events'
import { Metadata, status } from '@grpc/grpc-js'
import { TritonError } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { failureOf, RawClient, rawService } from '../fixtures/raw-service.ts'
import { GrpcError } from './grpc-status.ts'

const none = new Metadata()
const text = Buffer.from('hello')

/** Resolves when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

interface Deferred<Value> {
  readonly promise: Promise<Value>
  resolve(value: Value): void
}

function deferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((go) => {
    resolve = go
  })
  return { promise, resolve }
}

describe('a unary call', () => {
  test('has its response, whatever its size', async () => {
    await using service = await rawService()
    using client = new RawClient(service, { 'grpc.max_receive_message_length': -1 })
    for (const size of [0, 1, 16_379, 16_384, 70_000, 5_000_000]) {
      const request = Buffer.alloc(size, size % 251)
      expect((await client.unary(request, none)).equals(request)).toBe(true)
    }
  })

  test('many at the same time over one connection do not mix', async () => {
    await using service = await rawService()
    using client = new RawClient(service)
    const requests = Array.from({ length: 200 }, (_, i) => Buffer.alloc(i * 97, i))
    const responses = await Promise.all(requests.map((request) => client.unary(request, none)))
    expect(responses.every((response, i) => response.equals(requests[i] as Buffer))).toBe(true)
  })

  test('a response in parts arrives as one message', async () => {
    const parts = [Buffer.alloc(20_000, 1), Buffer.alloc(0), Buffer.alloc(3, 2)]
    await using service = await rawService({ unary: () => parts })
    using client = new RawClient(service)
    expect(await client.unary(text, none)).toEqual(Buffer.concat(parts))
  })

  test.each([
    [new TritonError('NOT_FOUND', 'no model'), status.NOT_FOUND, 'no model'],
    [new TritonError('UNSUPPORTED', 'not here'), status.UNIMPLEMENTED, 'not here'],
    [new GrpcError('RESOURCE_EXHAUSTED', 'too much'), status.RESOURCE_EXHAUSTED, 'too much'],
    [new TritonError('INVALID_ARG', '100 % Größe\nof "x"'), status.INVALID_ARGUMENT, '100 % Größe\nof "x"'],
  ])('%s becomes its status', async (error, code, details) => {
    await using service = await rawService({ unary: () => Promise.reject(error) })
    using client = new RawClient(service)
    expect(await failureOf(client.unary(text, none))).toEqual({ code, details })
  })

  test('what a fault of this program says is for the log only', async () => {
    const logged: object[] = []
    const logger = { debug() {}, info() {}, warn() {}, error: (fields: object) => void logged.push(fields) }
    const fault = new TypeError('x is not a function')
    const unary = () => {
      throw fault
    }
    await using service = await rawService({ unary, logger })
    using client = new RawClient(service)
    expect(await failureOf(client.unary(text, none))).toEqual({ code: status.INTERNAL, details: 'internal error' })
    expect(logged).toEqual([{ err: fault, path: '/test.Service/Unary' }])
  })

  test('an unknown method is not implemented', async () => {
    await using service = await rawService()
    using client = new RawClient(service)
    const failed = await failureOf(client.unary(text, none, {}, '/test.Service/Other'))
    expect(failed).toEqual({ code: status.UNIMPLEMENTED, details: "unknown method '/test.Service/Other'" })
  })

  test('metadata comes along, each value on its own and binary values decoded', async () => {
    const seen: (readonly [string, string])[] = []
    await using service = await rawService({
      unary: (request, { metadata }) => {
        seen.push(...metadata.entries())
        return [request, Buffer.from(metadata.get('twice') ?? '')]
      },
    })
    using client = new RawClient(service)
    const metadata = new Metadata()
    metadata.add('twice', 'a')
    metadata.add('twice', 'b')
    metadata.add('raw-bin', Buffer.from('Größe'))
    expect(String(await client.unary(text, metadata))).toBe('helloa')
    expect(seen.filter(([name]) => name === 'twice' || name === 'raw-bin')).toEqual([
      ['twice', 'a'],
      ['twice', 'b'],
      ['raw-bin', 'Größe'],
    ])
    expect(seen.some(([name]) => name.startsWith(':') || name.startsWith('grpc-'))).toBe(false)
  })
})

describe('the end of a call', () => {
  test('a deadline that passes aborts the work', async () => {
    let signal: AbortSignal | undefined
    await using service = await rawService({
      unary: async (request, call) => {
        signal = call.signal
        await aborted(call.signal)
        return [request]
      },
    })
    using client = new RawClient(service)
    const { code } = await failureOf(client.unary(text, none, { deadline: Date.now() + 50 }))
    expect(code).toBe(status.DEADLINE_EXCEEDED)
    await aborted(signal as AbortSignal)
  })

  test('a client that cancels aborts the work', async () => {
    const began = deferred<AbortSignal>()
    await using service = await rawService({
      stream: async (call) => {
        began.resolve(call.signal)
        await aborted(call.signal)
      },
    })
    using client = new RawClient(service)
    const stream = client.stream(none)
    stream.on('error', () => {})
    const signal = await began.promise
    expect(signal.aborted).toBe(false)
    stream.cancel()
    await aborted(signal)
  })

  test('a client that goes away aborts the work', async () => {
    const began = deferred<AbortSignal>()
    await using service = await rawService({
      stream: async (call) => {
        began.resolve(call.signal)
        await aborted(call.signal)
      },
    })
    const client = new RawClient(service)
    client.stream(none).on('error', () => {})
    const signal = await began.promise
    client.getChannel().close()
    client.close()
    await service.close({ timeout: 0 })
    await aborted(signal)
  })
})

describe('a stream', () => {
  test('answers as requests come, and ends after the client has', async () => {
    await using service = await rawService()
    using client = new RawClient(service)
    const stream = client.stream(none)
    for (const word of ['one', 'two', 'three']) {
      stream.write(Buffer.from(word))
      expect(String((await once(stream, 'data'))[0])).toBe(word)
    }
    stream.end()
    expect((await once(stream, 'status'))[0]).toMatchObject({ code: status.OK })
  })

  test('an error after responses ends it with its status', async () => {
    await using service = await rawService({
      stream: async (call) => {
        call.send([text])
        throw new TritonError('UNAVAILABLE', 'gone')
      },
    })
    using client = new RawClient(service)
    const stream = client.stream(none)
    const words: string[] = []
    stream.on('data', (data: Buffer) => words.push(String(data)))
    const [error] = await once(stream, 'error')
    expect([words, error.code, error.details]).toEqual([['hello'], status.UNAVAILABLE, 'gone'])
  })

  test('responses beyond what the client takes wait for room', async () => {
    let sent = 0
    const full = deferred<void>()
    const count = 400
    await using service = await rawService({
      stream: async (call) => {
        for (; sent < count; sent++) {
          call.send([Buffer.alloc(100_000)])
          const room = call.room()
          if (room !== undefined) full.resolve()
          await room
        }
      },
    })
    using client = new RawClient(service)
    const stream = client.stream(none).pause()
    await full.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBeLessThan(count)
    let received = 0
    stream.on('data', () => received++).resume()
    await once(stream, 'end')
    expect(received).toBe(count)
  })

  test('requests are read when they are asked for', async () => {
    const go = deferred<void>()
    let read = 0
    await using service = await rawService({
      stream: async (call) => {
        await go.promise
        for await (const request of call.requests) read += request.byteLength
      },
    })
    using client = new RawClient(service)
    const stream = client.stream(none).resume()
    let taken = 0
    for (let i = 0; i < 100; i++) stream.write(Buffer.alloc(100_000), () => taken++)
    stream.end()
    await expect.poll(() => taken).toBeGreaterThan(1)
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(taken).toBeLessThan(60)
    go.resolve()
    await once(stream, 'end')
    expect(read).toBe(10_000_000)
  })
})

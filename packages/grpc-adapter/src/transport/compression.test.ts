import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { compressionAlgorithms, Metadata, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, answerOf, callHeaders, call as callOn, connectTo, framed } from '../fixtures/http2-client.ts'
import { failureOf, RawClient, rawService, streamPath } from '../fixtures/raw-service.ts'
import type { GrpcService } from './grpc-service.ts'

const none = new Metadata()
const text = Buffer.from('hello')
const sizes = (buffers: readonly Buffer[]): number[] => buffers.map((buffer) => buffer.length)

let service: GrpcService
let session: ClientHttp2Session

beforeAll(async () => {
  service = await rawService({ maxReceiveMessageSize: 100_000 })
  session = connectTo(service)
})
afterAll(async () => {
  session.destroy()
  await service.close({ timeout: 0 })
})

const call = (body: Uint8Array | undefined, more?: Record<string, string | undefined>): Promise<Answer> =>
  callOn(session, body, more)

describe('what a client sends', () => {
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
    const stream = client.request({ ...callHeaders, 'grpc-accept-encoding': 'gzip' })
    const answer = answerOf(stream)
    stream.end(framed(bytes))
    const { body, headers: head } = await answer
    expect([head['grpc-encoding'], body[0]]).toEqual(['gzip', 1])
    client.destroy()
  })
})

describe('with a client of gRPC', () => {
  const large = Buffer.alloc(50_000, 'abc')

  test.each([compressionAlgorithms.gzip, compressionAlgorithms.deflate])(
    'a request may be compressed (%i)',
    async (algorithm) => {
      await using service = await rawService()
      using client = new RawClient(service, { 'grpc.default_compression_algorithm': algorithm })
      expect((await client.unary(large, none)).equals(large)).toBe(true)
    },
  )

  test.each(['low', 'high'] as const)(
    'level %s compresses inference responses, in their order',
    async (compressionLevel) => {
      await using service = await rawService({ compressionLevel, api: 'inference' })
      using client = new RawClient(service)
      const stream = client.stream(none)
      const words: Buffer[] = []
      stream.on('data', (word: Buffer) => words.push(word))
      for (const word of [large, text, large]) stream.write(word)
      stream.end()
      await once(stream, 'end')
      expect(sizes(words)).toEqual(sizes([large, text, large]))
      expect((await client.unary(large, none)).equals(large)).toBe(true)
    },
  )

  test('other methods answer as they are', async () => {
    await using service = await rawService({ compressionLevel: 'high' })
    using client = new RawClient(service)
    expect((await client.unary(large, none)).equals(large)).toBe(true)
  })

  test('a request that is too large is refused, compressed or not', async () => {
    await using service = await rawService({ maxReceiveMessageSize: 10_000 })
    using plain = new RawClient(service)
    expect(await failureOf(plain.unary(large, none))).toEqual({
      code: status.RESOURCE_EXHAUSTED,
      details: 'Received message larger than max (50000 vs. 10000)',
    })
    using client = new RawClient(service, { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip })
    expect((await failureOf(client.unary(large, none))).code).toBe(status.RESOURCE_EXHAUSTED)
    expect(await client.unary(text, none)).toEqual(text)
  })
})

import { once } from 'node:events'
import { Metadata, status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { failureOf, RawClient, rawService, streamPath } from '../fixtures/raw-service.ts'

const none = new Metadata()
const text = Buffer.from('hello')

describe('access', () => {
  test('a restricted API needs its header', async () => {
    const restrictedApis = [{ apis: ['metadata' as const], key: 'who', value: 'me' }]
    await using service = await rawService({ restrictedApis })
    using client = new RawClient(service)
    expect(await failureOf(client.unary(text, none))).toEqual({
      code: status.UNAVAILABLE,
      details: "This protocol is restricted, expecting header 'triton-grpc-protocol-who'",
    })
    const metadata = new Metadata()
    metadata.add('triton-grpc-protocol-who', 'me')
    expect(await client.unary(text, metadata)).toEqual(text)
  })

  test('authorize may take its time and sees what is called', async () => {
    const seen: unknown[] = []
    await using service = await rawService({
      authorize: async ({ protocol, api, path, peer, header }) => {
        seen.push({ protocol, api, path, peer })
        return header('authorization') === 'Bearer key'
      },
    })
    using client = new RawClient(service)
    expect((await failureOf(client.unary(text, none))).code).toBe(status.UNAUTHENTICATED)
    const metadata = new Metadata()
    metadata.add('authorization', 'Bearer key')
    expect(await client.unary(text, metadata)).toEqual(text)
    const stream = client.stream(metadata)
    stream.end(text)
    expect((await once(stream, 'data'))[0]).toEqual(text)
    expect(seen[2]).toEqual({
      protocol: 'grpc',
      api: 'metadata',
      path: streamPath,
      peer: expect.stringContaining('127.0.0.1'),
    })
  })
})

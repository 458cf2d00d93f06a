import { once } from 'node:events'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { systemClock } from '@triton-ts/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Http2Connection } from '../http2-connection.ts'
import { encodeHeaders } from './encode-headers.ts'
import { HpackDecoder } from './hpack-decoder.ts'
import { decodeHuffman } from './huffman.ts'
import { staticTable } from './static-table.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('examples of RFC 7541, appendix C', () => {
  const first = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com']

  test.each([
    ['C.3', ['828684410f7777772e6578616d706c652e636f6d', '828684be58086e6f2d6361636865']],
    ['C.4', ['828684418cf1e3c2e5f23a6ba0ab90f4ff', '828684be5886a8eb10649cbf']],
  ])('%s: requests of one connection', (_, [one = '', two = '']) => {
    const decoder = new HpackDecoder(1000)
    expect(decoder.decode(hex(one))).toEqual(first)
    expect(decoder.decode(hex(two))).toEqual([...first, 'cache-control', 'no-cache'])
  })

  test('C.2.1: a literal with indexing', () => {
    const block = hex('400a637573746f6d2d6b65790d637573746f6d2d686561646572')
    expect(new HpackDecoder(1000).decode(block)).toEqual(['custom-key', 'custom-header'])
  })
})

test('the static table has its 61 entries', () => {
  expect([staticTable.length, staticTable[60]]).toEqual([61, ['www-authenticate', '']])
})

describe('what cannot be decoded', () => {
  test.each([
    ['an index of 0', '80'],
    ['an index beyond the tables', 'be'],
    ['a name beyond the tables', '7f00'],
    ['an integer without end', 'ffffffffffff'],
    ['a text beyond the end', '400a6375'],
    ['an end within a literal', '40'],
    ['a table size beyond the limit', '3fe2ff03'],
    ['a table size after a header', '8220'],
    ['padding of zeros', '4081001f'],
    ['padding of a whole byte', '400082f8ff'],
    ['the end of a text in a text', '400084ffffffff'],
  ])('%s', (_, block) => {
    expect(() => new HpackDecoder(1000).decode(hex(block))).toThrow('header block with')
  })

  test('no bytes whatever do anything but that', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          new HpackDecoder(1000).decode(Buffer.from(bytes))
        } catch (error) {
          expect((error as Error).message).toMatch(/^header block with /)
        }
        decodeHuffman(bytes)
      }),
      { numRuns: 2000 },
    )
  })
})

test('headers beyond the limit are not kept, but the table remembers them', () => {
  const decoder = new HpackDecoder(100)
  const long = Buffer.concat([hex('40016103626364'), encodeHeaders(['x', 'y'.repeat(200)])])
  expect(decoder.decode(long)).toBeUndefined()
  expect(decoder.decode(hex('be'))).toEqual(['a', 'bcd'])
})

test('what is encoded is decoded to the same', () => {
  const text = fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    maxLength: 300,
  })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const headers = [':status', '200', ...texts.flatMap((value, i) => [`name-${i}`, value])]
      expect(new HpackDecoder(100_000).decode(encodeHeaders(headers))).toEqual(headers)
    }),
  )
})

test('headers of nghttp2 arrive as they were sent, request after request', async () => {
  const seen: string[][] = []
  const server = createServer((socket) => {
    const limits = { maxConcurrentStreams: 100, maxHeaderListSize: 1 << 16 }
    const listener = {
      open() {},
      sent() {},
      ping() {},
      fault(error: unknown) {
        throw error
      },
      close() {},
      stream: (stream: { end(block: Uint8Array): void }, headers: string[]) => {
        seen.push(headers)
        stream.end(encodeHeaders([':status', '200']))
      },
    }
    new Http2Connection(socket, limits, listener, systemClock)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  // Printable ASCII, without spaces at the ends, which are no part of a value.
  const value = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 12 }), async (values) => {
      const own = Object.fromEntries(values.map((value, i) => [`x-${i % 5}-${value.length}`, value]))
      const stream = session.request({ ':path': '/', ...own })
      await once(stream, 'response')
      stream.resume()
      await once(stream, 'close')
      const headers = seen.at(-1) ?? []
      for (const [name, value] of Object.entries(own)) expect(headers[headers.indexOf(name) + 1]).toBe(value)
    }),
    { numRuns: 200 },
  )
  session.destroy()
  server.close()
})

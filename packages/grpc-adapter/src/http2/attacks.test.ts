import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Http2Server } from '../fixtures/http2-server.ts'
import { emptySettings, headersFrame, preface, RawConnection, requestBlock } from '../fixtures/raw-connection.ts'
import { frame, frameFlags, frameTypes, numberFrame } from './frame.ts'

let server: Http2Server

beforeAll(async () => {
  server = await Http2Server.listen()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION } = frameTypes
const { END_STREAM, PADDED } = frameFlags

const repeated = (count: number, bytes: Uint8Array): Buffer => Buffer.concat(new Array<Uint8Array>(count).fill(bytes))

const window = (size: number): Buffer => Buffer.from([0, 4, ...Buffer.from(new Uint32Array([size]).buffer).reverse()])

/** A header block of one entry of the dynamic table, which is then named very often: each time two bytes say 4000. */
const bomb = Buffer.concat([
  requestBlock,
  Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]),
  Buffer.alloc(4000, 0x62),
  Buffer.alloc(50_000, 0xbe),
])

/** Everything that was opened is gone again, and nothing went wrong on this side. */
async function expectNothingLeft(): Promise<void> {
  await expect.poll(() => server.connections).toBe(0)
  expect(server.ended).toBe(server.opened)
  expect(server.faults).toEqual([])
}

describe('a client that breaks the protocol', () => {
  test.each([
    ['DATA of a stream that never was', 'PROTOCOL_ERROR', [frame(DATA, END_STREAM, 1, Buffer.alloc(3))]],
    ['a reset of a stream that never was', 'PROTOCOL_ERROR', [numberFrame(RST_STREAM, 5, 8)]],
    ['headers of a stream of the server', 'PROTOCOL_ERROR', [headersFrame(2)]],
    ['headers of stream 0', 'PROTOCOL_ERROR', [headersFrame(0)]],
    ['a stream before one that came', 'PROTOCOL_ERROR', [headersFrame(5), headersFrame(3)]],
    ['headers again after the end', 'STREAM_CLOSED', [headersFrame(1), headersFrame(1)]],
    ['DATA after the end', 'STREAM_CLOSED', [headersFrame(1), frame(DATA, 0, 1, Buffer.alloc(1))]],
    [
      'DATA after its own reset',
      'STREAM_CLOSED',
      [headersFrame(1, 0), numberFrame(RST_STREAM, 1, 8), frame(DATA, 0, 1)],
    ],
    ['padding beyond DATA', 'PROTOCOL_ERROR', [headersFrame(1, 0), frame(DATA, PADDED, 1, Buffer.from([9, 1, 2]))]],
    ['padding of no DATA', 'PROTOCOL_ERROR', [headersFrame(1, 0), frame(DATA, PADDED, 1)]],
    ['padding beyond headers', 'PROTOCOL_ERROR', [frame(HEADERS, PADDED | 4, 1, Buffer.from([200, 0x83]))]],
    ['a frame between parts of headers', 'PROTOCOL_ERROR', [frame(HEADERS, 0, 1, requestBlock), emptySettings]],
    ['a window of the connection beyond its limit', 'FLOW_CONTROL_ERROR', [numberFrame(WINDOW_UPDATE, 0, 2 ** 31 - 1)]],
    ['an initial window beyond its limit', 'FLOW_CONTROL_ERROR', [frame(SETTINGS, 0, 0, window(2 ** 31))]],
    ['an update of no bytes', 'PROTOCOL_ERROR', [numberFrame(WINDOW_UPDATE, 0, 0)]],
    ['a frame beyond the limit', 'FRAME_SIZE_ERROR', [headersFrame(1, 0), frame(DATA, 0, 1, Buffer.alloc(65_537))]],
    ['a ping of a wrong size', 'FRAME_SIZE_ERROR', [frame(PING, 0, 0, Buffer.alloc(7))]],
    ['a table size beyond the limit', 'COMPRESSION_ERROR', [headersFrame(1, 1, Buffer.from([0x3f, 0xe2, 0x1f]))]],
    ['a header that is named and never was', 'COMPRESSION_ERROR', [headersFrame(1, 1, Buffer.from([0xff, 0x7f]))]],
    ['a number without end', 'COMPRESSION_ERROR', [headersFrame(1, 1, Buffer.alloc(40, 0xff))]],
  ])('is told so: %s (%s)', async (_, code, bytes) => {
    using client = await RawConnection.open(server.port)
    client.send(...bytes)
    expect(await client.goAwayCode()).toBe(code)
    client.socket.end()
    await client.closed
    await expectNothingLeft()
  })

  test.each([
    ['more content than it says', [headersFrame(1, 0, withLength(3)), frame(DATA, END_STREAM, 1, Buffer.alloc(4))]],
    ['less content than it says', [headersFrame(1, 0, withLength(3)), frame(DATA, END_STREAM, 1, Buffer.alloc(2))]],
    ['a length that is none', [headersFrame(1, 1, withLength(-1))]],
    ['no path', [headersFrame(1, 1, Buffer.from([0x83, 0x86]))]],
    ['trailers with a path', [headersFrame(1, 0), headersFrame(1)]],
    ['trailers without end', [headersFrame(1, 0), headersFrame(1, 0, Buffer.alloc(0))]],
  ])('loses the stream alone: %s', async (_, bytes) => {
    using client = await RawConnection.open(server.port)
    client.send(...bytes)
    expect(await client.resetCode(1)).toBe('PROTOCOL_ERROR')
    client.send(headersFrame(3))
    expect(String((await client.find(DATA, 3)).payload)).toBe('hello')
  })
})

describe('a client that sends what is allowed, but far too much of it', () => {
  test.each([
    ['settings', repeated(3000, emptySettings)],
    ['priorities', repeated(3000, frame(PRIORITY, 0, 1, Buffer.from([0, 0, 0, 3, 1])))],
    ['frames of no known type', repeated(3000, frame(200, 0, 0))],
    ['empty DATA', Buffer.concat([headersFrame(1, 0), repeated(3000, frame(DATA, 0, 1))])],
    ['requests that it resets', Buffer.concat(Array.from({ length: 3000 }, (_, i) => openAndReset(2 * i + 1)))],
    ['resets of one request', Buffer.concat([headersFrame(1), repeated(3000, numberFrame(RST_STREAM, 1, 8))])],
    ['requests beyond their number', Buffer.concat(Array.from({ length: 3000 }, (_, i) => headersFrame(2 * i + 1, 0)))],
    ['parts of headers', Buffer.concat([frame(HEADERS, 0, 1), repeated(100, frame(CONTINUATION, 0, 1))])],
    [
      'parts of headers that are large',
      Buffer.concat([frame(HEADERS, 0, 1), repeated(5, frame(CONTINUATION, 0, 1, Buffer.alloc(5000)))]),
    ],
  ])('is told to be calm: %s', async (_, bytes) => {
    using client = await RawConnection.open(server.port)
    client.send(bytes)
    expect(await client.goAwayCode()).toBe('ENHANCE_YOUR_CALM')
    client.socket.end()
    await client.closed
    await expectNothingLeft()
  })

  test('headers that unfold to much more are never put together', async () => {
    using client = await RawConnection.open(server.port)
    client.send(headersFrame(1, 1, bomb))
    expect(await client.resetCode(1)).toBe('ENHANCE_YOUR_CALM')
    client.send(headersFrame(3))
    expect(String((await client.find(DATA, 3)).payload)).toBe('hello')
  })

  test('pings are not answered beyond what the client takes', async () => {
    using client = await RawConnection.open(server.port)
    client.socket.pause()
    const pings = repeated(10_000, frame(PING, 0, 0, Buffer.alloc(8)))
    let sent = 0
    let isHeld = false
    for (; sent < 200 && !isHeld; sent++) {
      if (client.socket.write(pings)) continue
      // The server stops to read when its answers are not taken, so that at last nothing more goes.
      isHeld = await Promise.race([
        new Promise<boolean>((resolve) => client.socket.once('drain', () => resolve(false))),
        new Promise<boolean>((resolve) => setTimeout(resolve, 500, true)),
      ])
    }
    expect(isHeld).toBe(true)
  })
})

test.each([
  ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ['noise', Buffer.alloc(4096, 0xa5)],
  ['another frame than SETTINGS at first', Buffer.concat([preface, headersFrame(1)])],
])('a client of %s is told that this is HTTP/2', async (_, bytes) => {
  using client = await RawConnection.open(server.port, false)
  client.send(bytes)
  expect(await client.goAwayCode()).toBe('PROTOCOL_ERROR')
})

test('DATA beyond the window of a stream is told so', async () => {
  await using slow = await Http2Server.listen({ takes: false })
  using client = await RawConnection.open(slow.port)
  const megabyte = repeated(16, frame(DATA, 0, 1, Buffer.alloc(65_536)))
  client.send(headersFrame(1, 0), megabyte, frame(PING, 0, 0, Buffer.alloc(8)))
  await client.find(PING)
  client.send(frame(DATA, 0, 1, Buffer.alloc(1)))
  expect(await client.goAwayCode()).toBe('FLOW_CONTROL_ERROR')
})

test('frames that were on their way when the server gave a stream up are no offence', async () => {
  using client = await RawConnection.open(server.port)
  client.send(headersFrame(1, 0, withLength(1)), frame(DATA, 0, 1, Buffer.alloc(2)), frame(DATA, 0, 1, Buffer.alloc(2)))
  client.send(frame(HEADERS, 5, 1, Buffer.alloc(0)), headersFrame(3))
  expect(String((await client.find(DATA, 3)).payload)).toBe('hello')
  expect(client.frames.some(({ type }) => type === GOAWAY)).toBe(false)
})

test('a request is the same byte by byte', async () => {
  using client = await RawConnection.open(server.port, false)
  const bytes = Buffer.concat([preface, emptySettings, headersFrame(1, 0), frame(DATA, END_STREAM, 1, Buffer.alloc(5))])
  for (const byte of bytes) {
    client.send(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(String((await client.find(DATA, 1)).payload)).toBe('hello')
  expect(server.requests.at(-1)).toBe(5)
})

test('idle connections cost nothing and are all forgotten', async () => {
  const clients = await Promise.all(Array.from({ length: 500 }, () => RawConnection.open(server.port)))
  for (const client of clients) client.send(headersFrame(1, 0))
  await expect.poll(() => server.connections).toBeGreaterThanOrEqual(500)
  for (const client of clients) client.socket.destroy()
  await expectNothingLeft()
})

test('whatever comes, connections end in order and none is left', async () => {
  const whole = Buffer.concat([
    emptySettings,
    headersFrame(1, 0),
    frame(DATA, PADDED, 1, Buffer.from([3, 1, 2, 0, 0, 0])),
    frame(WINDOW_UPDATE, 0, 0, Buffer.from([0, 0, 1, 0])),
    frame(DATA, END_STREAM, 1, Buffer.alloc(100)),
    frame(HEADERS, 0, 3, requestBlock.subarray(0, 5)),
    frame(CONTINUATION, 5, 3, requestBlock.subarray(5)),
    frame(PING, 0, 0, Buffer.alloc(8)),
  ])
  const change = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 6 }), fc.nat(60), async (changes, noise) => {
      const bytes = Buffer.from(whole)
      for (const { at, to } of changes) bytes[at] = to
      using client = await RawConnection.open(server.port, false)
      client.send(preface, bytes, randomBytes(noise))
      client.socket.end()
      await client.closed
    }),
    { numRuns: 150 },
  )
  await expectNothingLeft()
})

function withLength(length: number): Buffer {
  const text = String(length)
  const name = 'content-length'
  return Buffer.concat([
    requestBlock,
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([text.length]),
    Buffer.from(text),
  ])
}

function openAndReset(stream: number): Buffer {
  return Buffer.concat([headersFrame(stream, 0), numberFrame(RST_STREAM, stream, 8)])
}

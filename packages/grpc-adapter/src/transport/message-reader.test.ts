import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageReader, type ReceivedMessage } from './message-reader.ts'

const framed = ({ isCompressed, bytes }: ReceivedMessage): Buffer => {
  const head = Buffer.alloc(5)
  head[0] = isCompressed ? 1 : 0
  head.writeUInt32BE(bytes.byteLength, 1)
  return Buffer.concat([head, bytes])
}

const message = fc.record({ isCompressed: fc.boolean(), bytes: fc.uint8Array({ maxLength: 40 }) })
const plain = ({ isCompressed, bytes }: ReceivedMessage) => ({ isCompressed, bytes: [...bytes] })

test('messages are the same however their bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat(400)), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map(framed))
      const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort(
        (a, b) => a - b,
      )
      const reader = new MessageReader(100)
      const received: ReceivedMessage[] = []
      for (const [i, place] of places.entries()) {
        if (i > 0) reader.read(bytes.subarray(places[i - 1], place), received)
      }
      expect(received.map(plain)).toEqual(messages.map(plain))
      expect(reader.isAtBoundary).toBe(true)
    }),
  )
})

test('a message in one piece is a view of it', () => {
  const bytes = framed({ isCompressed: false, bytes: Uint8Array.of(1, 2, 3) })
  const received: ReceivedMessage[] = []
  new MessageReader(3).read(bytes, received)
  expect(received[0]?.bytes.buffer).toBe(bytes.buffer)
})

test('the limit holds before anything of the message comes', () => {
  const reader = new MessageReader(3)
  expect(() => reader.read(Buffer.from([0, 0, 0, 0, 4]), [])).toThrow('Received message larger than max (4 vs. 3)')
})

test('the largest size that can be declared is no negative one', () => {
  const reader = new MessageReader(2 ** 31 - 1)
  const largest = Buffer.from([0, 0xff, 0xff, 0xff, 0xff])
  expect(() => reader.read(largest, [])).toThrow('Received message larger than max (4294967295 vs. 2147483647)')
})

test('a message beyond what is trusted is gathered as it comes', () => {
  const reader = new MessageReader(2 ** 31 - 1)
  const size = 70 * 1024 * 1024
  const received: ReceivedMessage[] = []
  const head = Buffer.alloc(5)
  head.writeUInt32BE(size, 1)
  reader.read(head, received)
  const piece = Buffer.alloc(1024 * 1024, 7)
  for (let i = 0; i < 70; i++) reader.read(piece, received)
  const bytes = received[0]?.bytes as Uint8Array
  expect([bytes.byteLength, bytes[0], bytes[size - 1]]).toEqual([size, 7, 7])
})

test('what begins with neither 0 nor 1 is no message', () => {
  expect(() => new MessageReader(10).read(Buffer.from('PRI *'), [])).toThrow('invalid message: it begins with 80')
})

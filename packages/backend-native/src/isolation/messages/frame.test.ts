import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReader, frame } from './frame.ts'

test('messages come out of the stream however it is cut', () => {
  const messages = fc.array(fc.oneof(fc.string(), fc.bigInt(), fc.uint8Array(), fc.constant(undefined)))
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 50 }), (sent, size) => {
      const bytes = Buffer.concat(sent.map(frame))
      const reader = new FrameReader()
      const received: unknown[] = []
      for (let at = 0; at < bytes.byteLength; at += size) received.push(...reader.push(bytes.subarray(at, at + size)))
      expect(received).toEqual(sent)
    }),
  )
})

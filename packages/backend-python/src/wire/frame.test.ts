import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeFrame, FrameReader, padded } from './frame.ts'

const frames = fc.array(
  fc.record({
    text: fc.string({ unit: 'grapheme' }),
    blobs: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
)

test('frames come out as they went in, however the socket cuts them', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(), { maxLength: 12 }), (sent, cuts) => {
      const bytes = Buffer.concat(
        sent.map(({ text, blobs }) =>
          encodeFrame(
            JSON.stringify({ text }),
            blobs,
            blobs.reduce((sum, { byteLength }) => sum + padded(byteLength), 0),
          ),
        ),
      )
      const taken: { text: string; blobs: Buffer }[] = []
      const reader = new FrameReader((header, blobs) => taken.push({ text: JSON.parse(header).text, blobs }))
      const places = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b)
      let start = 0
      for (const end of places) {
        reader.push(Buffer.from(bytes.subarray(start, end)))
        start = end
      }
      expect(taken.map(({ text }) => text)).toEqual(sent.map(({ text }) => text))
      for (const [i, { blobs }] of sent.entries()) {
        let offset = 0
        for (const blob of blobs) {
          expect([...(taken[i]?.blobs ?? Buffer.alloc(0)).subarray(offset, offset + blob.byteLength)]).toEqual([
            ...blob,
          ])
          offset += padded(blob.byteLength)
        }
      }
    }),
  )
})

test('a header that ends behind its frame is refused', () => {
  const reader = new FrameReader(() => {})
  expect(() => reader.push(Buffer.from([4, 0, 0, 0, 9, 0, 0, 0]))).toThrow(RangeError)
})

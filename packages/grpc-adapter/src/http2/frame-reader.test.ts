import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frame } from './frame.ts'
import { FrameReader } from './frame-reader.ts'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** What a reader tells of these chunks; the pieces of a DATA frame as one. */
function framesOf(chunks: readonly Buffer[], maxFrameSize = 16_384): unknown[] {
  const seen: unknown[] = []
  let data: Buffer[] = []
  const reader = new FrameReader(
    {
      frame: (type, flags, stream, payload) => seen.push([type, flags, stream, payload.toString('hex')]),
      data: (flags, stream, length) => seen.push(['DATA', flags, stream, length]),
      dataPiece: (piece, isLast) => {
        data.push(Buffer.from(piece))
        if (!isLast) return
        seen.push(Buffer.concat(data).toString('hex'))
        data = []
      },
    },
    maxFrameSize,
  )
  for (const chunk of chunks) reader.read(chunk)
  return seen
}

/** Cuts bytes into chunks of these sizes, the last with what is left. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...chunks, bytes.subarray(at)].filter(({ length }) => length > 0)
}

const anyFrame = fc.record({
  type: fc.integer({ min: 0, max: 12 }),
  flags: fc.nat(255),
  stream: fc.nat(2 ** 31 - 1),
  payload: fc.uint8Array({ maxLength: 300 }),
})

describe('frames', () => {
  test('are the same however their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 40 })), (frames, sizes) => {
        const sent = frames.map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload))
        const bytes = Buffer.concat([preface, ...sent])
        expect(framesOf(cut(bytes, sizes))).toEqual(framesOf([bytes]))
        expect(framesOf(cut(bytes, new Array<number>(bytes.length).fill(1)))).toEqual(framesOf([bytes]))
      }),
      { numRuns: 100 },
    )
  })

  test('of a large size that come byte by byte cost no more than they have', () => {
    const bytes = Buffer.concat([preface, frame(11, 0, 0, Buffer.alloc(60_000, 1))])
    expect(framesOf(cut(bytes, new Array<number>(bytes.length).fill(1)), 65_536)).toHaveLength(1)
  })

  test('beyond the limit are refused by their head', () => {
    const head = Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1])
    expect(() => framesOf([Buffer.concat([preface, head])])).toThrow('frame of 16385 bytes')
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'

const streamOf = (parts: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
  const left = [...parts]
  return new ReadableStream({
    pull(controller) {
      const part = left.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
  })
}

test('events are the same however the network cuts them', async () => {
  const events = fc.array(fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text })))
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(events, cuts, async (events, cuts) => {
      const bytes = new TextEncoder().encode(events.map((event) => `data: ${event}\n\n`).join(''))
      const parts: Uint8Array[] = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = cuts[i % cuts.length] ?? 1
        parts.push(bytes.subarray(at, at + size))
        at += size
      }
      const read: string[] = []
      for await (const event of readEvents(streamOf(parts))) read.push(event)
      expect(read).toEqual(events)
    }),
  )
})

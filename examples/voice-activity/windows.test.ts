import { expect, test } from 'vitest'
import { collect } from './collect.ts'
import { contextSize, windowSize, windows } from './windows.ts'

async function* chunksOf(audio: Float32Array, size: number): AsyncGenerator<Float32Array> {
  for (let i = 0; i < audio.length; i += size) yield audio.subarray(i, i + size)
}

const audio = Float32Array.from({ length: 3 * windowSize }, (_, i) => i + 1)

test.each([1, 100, windowSize, 700, audio.length])('chunks of %i samples make the same windows', async (size) => {
  const all = await collect(windows(chunksOf(audio, size)))
  expect(all.map(({ first, last }) => ({ first, last }))).toEqual([
    { first: true, last: false },
    { first: false, last: false },
    { first: false, last: true },
  ])
  const padded = [...new Float32Array(contextSize), ...audio]
  for (const [i, { samples }] of all.entries()) {
    expect([...samples]).toEqual(padded.slice(i * windowSize, (i + 1) * windowSize + contextSize))
  }
})

test('what is missing of the last window is silence', async () => {
  const [, second, third] = await collect(windows(chunksOf(audio.subarray(0, windowSize + 3), 64)))
  expect(second!.last).toBe(true)
  expect([...second!.samples.subarray(contextSize, contextSize + 5)]).toEqual([513, 514, 515, 0, 0])
  expect(third).toBeUndefined()
})

test('nothing is one window of silence', async () => {
  const all = await collect(windows(chunksOf(new Float32Array(0), 1)))
  expect(all).toEqual([{ samples: new Float32Array(contextSize + windowSize), first: true, last: true }])
})

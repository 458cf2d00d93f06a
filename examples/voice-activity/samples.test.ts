import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { collect } from './collect.ts'
import { samples } from './samples.ts'

const file = readFileSync(`${import.meta.dirname}/speech.wav`)

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size)
}

const read = async (bytes: Uint8Array, size: number) =>
  (await collect(samples(chunksOf(bytes, size)))).flatMap((chunk) => [...chunk])

test.each([7, 44, 4096])('a file in chunks of %i bytes', async (size) => {
  const all = await read(file, size)
  expect(all).toHaveLength((file.length - 44) / 2)
  expect(all.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, i) => file.readInt16LE(44 + 2 * i) / 32_768))
})

test('another format', async () => {
  const stereo = Buffer.from(file.subarray(0, 100))
  stereo.writeUInt16LE(2, 22)
  await expect(read(stereo, 100)).rejects.toThrow('a WAV file of one channel, 16000 Hz and 16 bits is needed')
  await expect(read(Buffer.from('no WAV file at all, but long enough to be one.'), 100)).rejects.toThrow('a WAV file')
})

test('half a header', async () => {
  await expect(read(file.subarray(0, 43), 10)).rejects.toThrow('the recording ends within its header')
})

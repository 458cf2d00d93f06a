import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LastLines } from './last-lines.ts'

/** Prints pieces and resolves with the lines that were heard. */
async function heard(...pieces: (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  new LastLines(stream, (line) => lines.push(line))
  for (const piece of pieces) stream.write(piece)
  stream.end()
  await new Promise((resolve) => stream.once('close', resolve))
  return lines
}

test('lines end as on every system, wherever they are cut', async () => {
  expect(await heard('one\ntwo\r\nthree\rfour')).toEqual(['one', 'two', 'three', 'four'])
  expect(await heard('o', 'ne\r', '\ntwo\r', 'three\n', '\n')).toEqual(['one', 'two', 'three', ''])
  const text = Buffer.from('übel\n')
  expect(await heard(text.subarray(0, 1), text.subarray(1))).toEqual(['übel'])
})

test('a line that never ends is told in pieces', async () => {
  const piece = 'x'.repeat(50_000)
  const lines = await heard(...Array.from({ length: 10 }, () => piece), '\nend')
  expect(lines.map(({ length }) => length)).toEqual([100_000, 100_000, 100_000, 100_000, 100_000, 0, 3])
})

test('the last lines are kept, not all of each', async () => {
  const stream = new PassThrough()
  const last = new LastLines(stream, () => {})
  stream.end(`${Array.from({ length: 30 }, (_, i) => `${i} ${'x'.repeat(600)}`).join('\n')}\n`)
  await new Promise((resolve) => stream.once('close', resolve))
  expect(last.lines).toHaveLength(20)
  expect(last.lines[0]).toHaveLength(500)
  expect(last.lines.at(-1)).toMatch(/^29 /)
})

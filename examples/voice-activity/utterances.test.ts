import { expect, test } from 'vitest'
import { collect } from './collect.ts'
import { utterances } from './utterances.ts'

async function* probabilities(picture: string): AsyncGenerator<number> {
  for (const mark of picture) yield { '#': 0.9, '+': 0.4, '.': 0 }[mark] ?? 0
}

test.each([
  ['....', []],
  ['..##..........', [{ begin: 2, end: 4 }]],
  ['##', [{ begin: 0, end: 2 }]],
  // Doubtful windows do not begin an utterance, and do not end one.
  ['.++.##++........', [{ begin: 4, end: 8 }]],
  // A short pause belongs to it, a long one does not.
  ['##.......##........', [{ begin: 0, end: 11 }]],
  [
    '##........##.',
    [
      { begin: 0, end: 2 },
      { begin: 10, end: 12 },
    ],
  ],
])('%s', async (picture, expected) => {
  expect(await collect(utterances(probabilities(picture)))).toEqual(expected)
})

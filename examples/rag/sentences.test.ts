import { expect, test } from 'vitest'
import { sentencesOf } from './models/generator/1/sentences.ts'

test.each([
  ['', []],
  ['One. Two!  Three?', ['One.', 'Two!', 'Three?']],
  ['Press "Forgot password" on the page.\nThen wait.', ['Press "Forgot password" on the page.', 'Then wait.']],
  ['It costs 1.50 euros, not more', ['It costs 1.50 euros, not more']],
])('%s', (text, sentences) => {
  expect(sentencesOf(text, 7)).toEqual(sentences.map((sentence) => ({ text: sentence, passage: 7 })))
})

import { expect, test } from 'vitest'
import { readExamples } from './markdown.ts'

const fence = '```'

test('examples are the ts blocks marked run, with the text block after them', () => {
  const markdown = [
    '# Title',
    `${fence}ts`,
    'illustration()',
    fence,
    `${fence}ts run`,
    'console.log(1)',
    'console.log(2)',
    fence,
    'It prints',
    `${fence}text`,
    '1',
    '2',
    fence,
    `${fence}ts run`,
    'check()',
    fence,
  ].join('\n')
  expect(readExamples(markdown)).toEqual([
    { code: 'console.log(1)\nconsole.log(2)', line: 6, output: '1\n2' },
    { code: 'check()', line: 15, output: undefined },
  ])
})

test('a block that does not close is an error', () => {
  expect(() => readExamples(`${fence}ts run\ncheck()`)).toThrow('line 1 does not close')
})

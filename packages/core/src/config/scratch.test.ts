import { test } from 'vitest'
import { parseModelConfig } from './parse-pbtxt.ts'

test('x', () => {
  for (const piece of [
    '$\x7B',
    '"',
    "'\\",
    '1',
    '0x',
    'a',
    'a:',
    '#',
    '\n',
    '/',
    '-',
    'é',
    'dims:1 ',
    'input{}',
    '\0',
    'input{dims:1}',
    'name:"a"',
  ]) {
    const t = performance.now()
    try {
      parseModelConfig(piece.repeat(1e6 / piece.length))
    } catch {}
    console.log(piece, (performance.now() - t).toFixed(0))
  }
  const entries = Array.from({ length: 20_000 }, (_, n) => `parameters { key: "${n}" }`).join('\n')
  const t = performance.now()
  parseModelConfig(entries)
  console.log('entries', (performance.now() - t).toFixed(0))
})

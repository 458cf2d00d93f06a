import { expect, test } from 'vitest'
import { flags } from './flags.ts'
import { usage } from './usage.ts'

test('the usage names every flag once, with its argument and default', () => {
  const lines = usage().split('\n')
  for (const name of Object.keys(flags)) {
    expect(lines.filter((line) => line === `  --${name}` || line.startsWith(`  --${name} `))).toHaveLength(1)
  }
  expect(lines).toContain('  --http-port <integer> (default 8000)')
  expect(lines).toContain('  --disable-auto-complete-config')
  expect(lines).toContain('        Threads of the gRPC server. No effect: one event loop does this work.')
})

test('no line is longer than a terminal likes', () => {
  expect(
    Math.max(
      ...usage()
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(100)
})

import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost', '::ffff:127.0.0.1'])('%s is this machine alone', (host) => {
  expect(isLoopback(host)).toBe(true)
})

test.each(['0.0.0.0', '::', '10.0.0.1', '127.example.org', '', '::ffff:10.0.0.1', '1127.0.0.1'])(
  '%s may be reached by others',
  (host) => {
    expect(isLoopback(host)).toBe(false)
  },
)

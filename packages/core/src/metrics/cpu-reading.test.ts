import { expect, test } from 'vitest'
import { cpuTimes, cpuUtilization, memoryOf } from './cpu-reading.ts'

test('processors work while they are neither idle nor wait for a device', () => {
  const before = cpuTimes('cpu  100 20 30 400 50 6 7 8 9 10\ncpu0 1 2 3\n')
  const after = cpuTimes('cpu  160 20 40 420 60 6 7 8 99 99\n')
  expect(before).toEqual({ busy: 171, idle: 450 })
  expect(cpuUtilization(before!, after!)).toBe(0.7)
  expect(cpuUtilization(after!, after!)).toBe(0)
})

test('used memory is what is not available', () => {
  const text = 'MemTotal:        1000 kB\nMemFree:          100 kB\nMemAvailable:     400 kB\n'
  expect(memoryOf(text)).toEqual({ total: 1000 * 1024, used: 600 * 1024 })
})

test.each(['', 'intr 1 2 3\n', 'cpu 1 2 3\n', 'cpu a b c d e f g h\n'])('%j is no /proc/stat', (text) => {
  expect(cpuTimes(text)).toBeUndefined()
})

test.each(['', 'MemTotal: 5 kB\n', 'MemTotal: 5 kB\nMemAvailable: 6 kB\n'])('%j is no /proc/meminfo', (text) => {
  expect(memoryOf(text)).toBeUndefined()
})

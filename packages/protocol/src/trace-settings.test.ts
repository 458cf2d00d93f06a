import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTraceLevel, readTraceNumber, traceSettingTexts } from './trace-settings.ts'

test('a number is read as C++ reads it', () => {
  expect(readTraceNumber('trace_rate', '5')).toBe(5)
  expect(readTraceNumber('trace_rate', ' +5 of them')).toBe(5)
  expect(readTraceNumber('trace_rate', '-1')).toBe(4294967295)
  expect(readTraceNumber('trace_count', '-1')).toBe(-1)
  expect(readTraceNumber('log_frequency', '1e3')).toBe(1)
})

test('what is no number, or none of 32 bits, is refused in the words of Triton', () => {
  expect(() => readTraceNumber('trace_rate', 'many')).toThrow("Unable to parse 'trace_rate', got: many")
  expect(() => readTraceNumber('trace_count', '')).toThrow("Unable to parse 'trace_count', got: ")
  expect(() => readTraceNumber('trace_count', '2147483648')).toThrow(
    "Unable to parse 'trace_count', value is out of range [ -1, 2147483647 ], got: 2147483648",
  )
  expect(() => readTraceNumber('trace_count', '-2', ' ')).toThrow(
    "Unable to parse 'trace_count'. Expecting value >= -1, got: -2",
  )
  expect(() => readTraceNumber('log_frequency', '-2147483649')).toThrow(
    "Unable to parse 'log_frequency', value is out of range [ 0, 4294967295 ], got: -2147483649",
  )
})

test('every number of 31 bits reads as itself, whatever follows', () => {
  const follower = fc.string().filter((text) => !/^\d/.test(text))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), follower, (value, more) => {
      expect(readTraceNumber('trace_rate', `${value}${more}`)).toBe(value)
    }),
  )
})

test('OFF stands alone, and unknown levels are overlooked', () => {
  expect(readTraceLevel(['OFF'])).toEqual([])
  expect(readTraceLevel(['TENSORS', 'TIMESTAMPS', 'off'])).toEqual(['TIMESTAMPS', 'TENSORS'])
  expect(readTraceLevel(['MAX'])).toBeUndefined()
  expect(readTraceLevel([])).toBeUndefined()
  expect(() => readTraceLevel(['TIMESTAMPS', 'OFF'])).toThrow("Expect only one trace level 'OFF' is specified")
})

test('an exporter has settings of its own instead of a file', () => {
  const settings = { level: [], rate: 1000, count: -1, logFrequency: 0, file: 'f' } as const
  expect(traceSettingTexts({ ...settings, mode: 'triton', exporter: {} })).toEqual({
    trace_level: ['OFF'],
    trace_rate: ['1000'],
    trace_count: ['-1'],
    log_frequency: ['0'],
    trace_file: ['f'],
    trace_mode: ['triton'],
  })
  expect(traceSettingTexts({ ...settings, mode: 'opentelemetry', exporter: { url: 'u' } })).toEqual({
    trace_level: ['OFF'],
    trace_rate: ['1000'],
    trace_count: ['-1'],
    trace_mode: ['opentelemetry'],
    url: ['u'],
  })
})

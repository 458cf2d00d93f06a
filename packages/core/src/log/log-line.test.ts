import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { type LogEntry, logLine } from './log-line.ts'

const { pid } = process
const time = Date.UTC(2026, 0, 31, 23, 5, 9, 7)
const entry = (more: Partial<LogEntry> = {}): LogEntry => ({
  severity: 'info',
  time,
  fields: {},
  message: 'hello',
  ...more,
})

describe("lines in Triton's formats", () => {
  test('begin with severity, time, process and place', () => {
    expect(logLine('default', entry({ severity: 'warn' }), true)).toBe(`W0131 23:05:09.007000 ${pid} server:0] "hello"`)
    expect(logLine('ISO8601', entry({ fields: { module: 'http' } }), true)).toBe(
      `2026-01-31T23:05:09Z I ${pid} http:0] "hello"`,
    )
  })

  test.each([
    ['debug', 'I'],
    ['info', 'I'],
    ['warn', 'W'],
    ['error', 'E'],
  ] as const)('mark %s as %s', (severity, letter) => {
    expect(logLine('default', entry({ severity }), true).charAt(0)).toBe(letter)
  })

  test('name the place in a library, as one word', () => {
    const fields = { file: '/srv/models/my model/1/model.py', line: 17 }
    expect(logLine('default', entry({ fields }), true)).toContain(` ${pid} model.py:17] `)
    expect(logLine('default', entry({ fields: { file: 'my model.py', line: 1 } }), true)).toContain('my_model.py:1]')
  })

  test('have a message that cannot pose as several lines, unless that is switched off', () => {
    const forged = 'no\nE0131 23:05:09.007000 1 x:0] "forged"\u001b[31m'
    const line = logLine('default', entry({ message: forged }), true)
    for (const control of ['\n', '\u001b']) expect(line).not.toContain(control)
    expect(JSON.parse(line.slice(line.indexOf('] ') + 2))).toBe(forged)
    expect(logLine('default', entry({ message: forged }), false)).toContain(`server:0] ${forged}`)
  })

  test('say what the error says where the message does not', () => {
    const told = (err: unknown, message = 'failed to clean up') =>
      logLine('default', entry({ fields: { err }, message }), false)
    expect(told(new TritonError('INTERNAL', 'out of memory'))).toMatch(/\] failed to clean up: out of memory$/)
    expect(told(new TypeError('x is undefined'))).toMatch(/\] failed to clean up: TypeError: x is undefined\n {4}at /)
    expect(told(new Error('gone'), 'failed: gone')).toMatch(/\] failed: gone$/)
    expect(told(new TypeError())).toMatch(/\] failed to clean up: TypeError(: )?\n {4}at /)
    expect(told('text')).toMatch(/\] failed to clean up: text$/)
    expect(told({ reason: 1 })).toMatch(/\] failed to clean up: { reason: 1 }$/)
    expect(told(undefined)).toMatch(/\] failed to clean up$/)
    const cause = new Error('ECONNREFUSED')
    expect(told(new Error('fetch failed', { cause }))).toContain('ECONNREFUSED')
  })
})

describe('a line in JSON', () => {
  const parsed = (more: Partial<LogEntry>): unknown => JSON.parse(logLine('json', entry(more), true))
  const head = { time: '2026-01-31T23:05:09.007Z', level: 'info', pid, module: 'server', message: 'hello' }

  test('has the fields of the message beside time, level, process, module and text', () => {
    const fields = { requestId: 'r1', model: 'm', version: 2, traceId: 7n }
    expect(parsed({ fields })).toEqual({ ...head, requestId: 'r1', model: 'm', version: 2, traceId: '7' })
    expect(logLine('json', entry(), true)).toMatch(/^\{"time":/)
  })

  test('has code and message of an error, and the stack of what is no answer to a client', () => {
    expect(parsed({ fields: { err: new TritonError('NOT_FOUND', 'no such model') } })).toEqual({
      ...head,
      err: { code: 'NOT_FOUND', message: 'no such model' },
    })
    expect(parsed({ fields: { err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) } })).toEqual({
      ...head,
      err: { code: 'ECONNREFUSED', message: 'refused', stack: expect.stringContaining('Error: refused\n') },
    })
  })

  test('keeps its head whatever the fields are called', () => {
    expect(parsed({ fields: { time: 0, level: 'error', message: 'forged' } })).toEqual(head)
  })

  test('has what can be printed beside a field that cannot', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const broken = {
      toJSON() {
        throw new Error('no')
      },
    }
    expect(parsed({ fields: { circle, requestId: 'r1', broken } })).toEqual({
      ...head,
      circle: expect.stringContaining('[Circular'),
      requestId: 'r1',
      broken: expect.stringContaining('toJSON'),
    })
  })

  test('has large integers and errors at any depth, and the causes of an error', () => {
    const cause = new TritonError('NOT_FOUND', 'gone')
    const err = new Error('failed', { cause })
    expect(parsed({ fields: { times: { start: 5n }, errors: [cause], err } })).toEqual({
      ...head,
      times: { start: '5' },
      errors: [{ code: 'NOT_FOUND', message: 'gone' }],
      err: { message: 'failed', stack: expect.any(String), cause: { code: 'NOT_FOUND', message: 'gone' } },
    })
  })

  test('is one line', () => {
    expect(logLine('json', entry({ message: 'a\nb', fields: { model: 'c\nd' } }), true)).not.toContain('\n')
  })
})

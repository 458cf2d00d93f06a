import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LogSettings, openLog, preamble } from './log.ts'

const settings: LogSettings = { verbose: 0, info: true, warning: true, error: true, format: 'default', file: '' }
const time = Date.UTC(2026, 0, 31, 23, 5, 9, 7)

describe('preamble', () => {
  test('default', () => {
    expect(preamble('default', 'W', time, 'http')).toBe(`W0131 23:05:09.007000 ${process.pid} http] `)
  })

  test('ISO8601', () => {
    expect(preamble('ISO8601', 'I', time, 'http')).toBe(`2026-01-31T23:05:09Z I ${process.pid} http] `)
  })
})

describe('file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'triton-ts-log-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function logged(more: Partial<LogSettings>): Promise<string[]> {
    const file = join(folder, `${Object.keys(more).join('-')}.log`)
    const log = openLog({ ...settings, ...more, file })
    log.debug({}, 'verbose')
    log.info({ module: 'http' }, 'say "hi"\nthere')
    log.warn({ model: 'm' }, 'careful')
    log.error({}, 'broken')
    log.table('+--+\n|  |')
    log.close()
    const text = await readFile(file, 'utf8')
    return text.split('\n').map((line) => line.replace(/^(.).* \d+ (.*\])/, '$1 $2'))
  }

  test('messages are quoted and escaped, tables are not', async () => {
    const lines = [
      'I http] "say \\"hi\\"\\nthere"',
      'W server] "careful"',
      'E server] "broken"',
      'I server] ',
      '+--+',
      '|  |',
      '',
    ]
    expect(await logged({ info: true })).toEqual(lines)
    expect(await logged({ info: true })).toEqual([...lines.slice(0, -1), ...lines])
  })

  test('every level has its switch', async () => {
    expect(await logged({ info: false, error: false })).toEqual(['W server] "careful"', ''])
    expect((await logged({ verbose: 1, warning: false }))[0]).toBe('I server] "verbose"')
  })
})

test('a file that cannot be opened is an error at once', () => {
  expect(() => openLog({ ...settings, file: '/no/such/folder/log' })).toThrow('no such file or directory')
})

test('a file that takes no more lines is no reason to fail', () => {
  const log = openLog({ ...settings, file: '/dev/full' })
  expect(() => log.info({}, 'this line goes to stderr')).not.toThrow()
  log.close()
})

import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { virtualClock } from '@triton-ts/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TritonLogOptions, tritonLog } from './triton-log.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triton-ts-log-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const newFile = (): string => join(folder, `${files++}.log`)
/** The lines of a file, without time and process. */
const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8')).split('\n').map((line) => line.replace(/^(.).* \d+ (.*\])/, '$1 $2'))

async function logged(options: TritonLogOptions): Promise<string[]> {
  const file = newFile()
  const log = tritonLog({ ...options, file })
  log.debug({}, 'verbose')
  log.debug({ verbose: 2 }, 'more verbose')
  log.info({ module: 'http' }, 'say "hi"\nthere')
  log.warn({ model: 'm' }, 'careful')
  log.error({}, 'broken')
  log.table('+--+\n|  |')
  await log.close()
  return linesOf(file)
}

test('messages are quoted and escaped, tables keep their lines', async () => {
  expect(await logged({})).toEqual([
    'I http:0] "say \\"hi\\"\\nthere"',
    'W server:0] "careful"',
    'E server:0] "broken"',
    'I server:0] ',
    '+--+',
    '|  |',
    '',
  ])
})

test('every level has its switch', async () => {
  expect(await logged({ info: false, error: false })).toEqual(['W server:0] "careful"', ''])
  expect((await logged({ verbose: 1, warning: false }))[0]).toBe('I server:0] "verbose"')
  const quiet = { info: false, warning: false, error: false }
  expect(await logged({ ...quiet, verbose: 2 })).toEqual(['I server:0] "verbose"', 'I server:0] "more verbose"', ''])
})

test('settings can change while it logs', async () => {
  const file = newFile()
  const log = tritonLog({ file })
  log.info({}, 'first')
  expect(log.update({ logFormat: 'json', logWarning: false })).toEqual({
    logFile: file,
    logInfo: true,
    logWarning: false,
    logError: true,
    logVerboseLevel: 0,
    logFormat: 'json',
  })
  log.info({ model: 'm' }, 'second')
  log.warn({}, 'not wanted')
  log.table('a\nb')
  await log.close()
  const [first, second, table, end] = await linesOf(file)
  expect(first).toBe('I server:0] "first"')
  expect(JSON.parse(second ?? '')).toMatchObject({ message: 'second', model: 'm' })
  expect(JSON.parse(table ?? '')).toMatchObject({ message: 'a\nb' })
  expect(end).toBe('')
})

test('a file is appended to', async () => {
  const file = newFile()
  for (const text of ['before', 'after']) {
    const log = tritonLog({ file })
    log.info({}, text)
    await log.close()
  }
  expect(await linesOf(file)).toEqual(['I server:0] "before"', 'I server:0] "after"', ''])
})

test('a file that cannot be opened is an error at once', () => {
  expect(() => tritonLog({ file: '/no/such/folder/log' })).toThrow('no such file or directory')
})

test('a file that takes no more lines is no reason to fail', async () => {
  const log = tritonLog({ file: '/dev/full', format: 'json' })
  expect(() => log.info({}, 'this line goes to stderr')).not.toThrow()
  await log.close()
})

test('a line before the exit of the process is written', async () => {
  const file = newFile()
  const others = new Set(process.listeners('exit'))
  const log = tritonLog({ file })
  log.error({}, 'the last words')
  for (const hear of process.listeners('exit')) if (!others.has(hear)) hear.call(process, 0)
  expect(readFileSync(file, 'utf8')).toMatch(/server:0\] "the last words"\n$/)
  await log.close()
  expect(await linesOf(file)).toHaveLength(2)
})

test('what is logged after the end goes to stderr, not to a file that has the descriptor now', async () => {
  const log = tritonLog({ file: newFile() })
  await log.close()
  await log.close()
  const files = await Promise.all(Array.from({ length: 8 }, () => open(newFile(), 'w+')))
  log.info({}, 'this line goes to stderr')
  await log.close()
  const sizes = await Promise.all(files.map(async (file) => (await file.stat()).size))
  await Promise.all(files.map((file) => file.close()))
  expect(sizes.every((size) => size === 0)).toBe(true)
})

test('standard error that nobody reads any more does not end the process', () => {
  const listeners = process.stderr.listeners('error')
  process.stderr.removeAllListeners('error')
  tritonLog({ verbose: 1 }).debug({}, 'this line goes to stderr')
  expect(() => process.stderr.emit('error', new Error('write EPIPE'))).not.toThrow()
  process.stderr.removeAllListeners('error')
  for (const listener of listeners) process.stderr.on('error', listener as () => void)
})

test('a file that was moved away is made anew', async () => {
  const file = newFile()
  const clock = virtualClock()
  const log = tritonLog({ file, clock })
  log.info({}, 'first')
  await expect.poll(() => linesOf(file)).toHaveLength(2)
  await rename(file, `${file}.1`)
  await clock.advance(1000)
  log.info({}, 'second')
  await log.close()
  expect(await linesOf(`${file}.1`)).toEqual(['I server:0] "first"', ''])
  expect(await linesOf(file)).toEqual(['I server:0] "second"', ''])
})

test('lines are in order, and those that nobody can write in time are counted', async () => {
  const file = newFile()
  const log = tritonLog({ file })
  const text = 'x'.repeat(100_000)
  for (let n = 0; n < 20; n++) log.info({}, `${n}${text}`)
  await log.close()
  const lines = await linesOf(file)
  const numbers = lines.slice(0, -2).map((line) => Number(/"(\d+)x/.exec(line)?.[1]))
  expect(lines.at(-2)).toMatch(/^W log:0\] "\d+ lines of the log are lost: '.*' is written too slowly"$/)
  const lost = Number(/"(\d+) lines/.exec(lines.at(-2) ?? '')?.[1])
  expect(lost).toBeGreaterThan(0)
  expect(numbers).toEqual(Array.from({ length: 20 - lost }, (_, n) => n))
})

test('where the folder went, lines go to stderr until it is there again', async () => {
  const path = join(folder, 'inner')
  await mkdir(path)
  const file = join(path, 'log')
  const clock = virtualClock()
  const log = tritonLog({ file, clock })
  await rm(path, { recursive: true })
  await clock.advance(1000)
  log.info({}, 'this line goes to stderr')
  await setImmediate()
  await mkdir(path)
  log.info({}, 'back again')
  await log.close()
  expect((await linesOf(file)).slice(-2)).toEqual(['I server:0] "back again"', ''])
})

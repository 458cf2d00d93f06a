import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@triton-ts/core'
import { virtualClock } from '@triton-ts/testing'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accessApis, readApiKeys } from './api-key-list.ts'
import { apiKeys } from './api-keys.ts'
import type { AccessApi, Authorize } from './authorize.ts'

const [first, second] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
const clock = virtualClock()
let directory: string
let file: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'api-keys-'))
  file = join(directory, 'keys')
})
afterEach(() => rm(directory, { recursive: true }))

const ask = async (authorize: Authorize, headers: Record<string, string>, api: AccessApi = 'inference') =>
  authorize({
    ...{ protocol: 'http', api, path: '/v2', peer: undefined, signal: undefined },
    header: (name) => headers[name],
  })
const show = (authorize: Authorize, key: string, api?: AccessApi) =>
  ask(authorize, { authorization: `Bearer ${key}` }, api)

describe('a file of keys', () => {
  test('lets those in who show one of them', async () => {
    await writeFile(file, `# keys\r\n\n  ann: ${first}\r\nci: ${second} metrics,health\n`)
    const authorize = await apiKeys(file, { clock })
    expect(await show(authorize, first, 'dashboard')).toBe(true)
    expect(await ask(authorize, { authorization: `bearer  ${first}` })).toBe(true)
    expect(await ask(authorize, { 'x-api-key': first })).toBe(true)
    expect(await ask(authorize, { authorization: 'Basic abc', 'x-api-key': first })).toBe(true)
    for (const headers of [{}, { authorization: first }, { authorization: 'Bearer ' }, { 'x-api-key': 'ann' }]) {
      expect(await ask(authorize, headers as Record<string, string>)).toBe(false)
    }
    expect([await show(authorize, second, 'metrics'), await show(authorize, second)]).toEqual([true, false])
  })

  test('may exempt APIs', async () => {
    await writeFile(file, first)
    const authorize = await apiKeys(file, { clock, exemptApis: ['health'] })
    expect([await ask(authorize, {}, 'health'), await ask(authorize, {}, 'metadata')]).toEqual([true, false])
  })

  test('must be there at the start, with keys that can be understood', async () => {
    await expect(apiKeys(file)).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringMatching(/^API keys cannot be read from '.*keys': ENOENT/),
    })
    await writeFile(file, 'short')
    await expect(apiKeys(file)).rejects.toThrow('line 1 has a key of less than 16 characters')
  })
})

describe('a file that changes', () => {
  test('is read again a second later, however it was changed', async () => {
    await writeFile(file, first)
    const authorize = await apiKeys(file, { clock })
    await writeFile(file, second)
    expect([await show(authorize, first), await show(authorize, second)]).toEqual([true, false])
    await clock.advance(1000)
    expect([await show(authorize, first), await show(authorize, second)]).toEqual([false, true])
    await writeFile(`${file}.new`, first)
    await rename(`${file}.new`, file)
    await clock.advance(1000)
    expect([await show(authorize, first), await show(authorize, second)]).toEqual([true, false])
  })

  test('may lie behind a link that is switched, as a secret of Kubernetes does', async () => {
    for (const [name, key] of Object.entries({ one: first, two: second })) {
      await mkdir(join(directory, name))
      await writeFile(join(directory, name, 'keys'), key)
    }
    await symlink('one', join(directory, 'data'))
    await symlink(join('data', 'keys'), file)
    const authorize = await apiKeys(file, { clock })
    expect(await show(authorize, first)).toBe(true)
    await symlink('two', join(directory, 'next'))
    await rename(join(directory, 'next'), join(directory, 'data'))
    await clock.advance(1000)
    expect([await show(authorize, first), await show(authorize, second)]).toEqual([false, true])
  })

  test('keeps its keys while it is gone or broken, and says so once', async () => {
    const lines: string[] = []
    const log = (_: object, message: string) => lines.push(message)
    await writeFile(file, first)
    const authorize = await apiKeys(file, { clock, logger: { ...silentLogger, info: log, error: log } })
    await rm(file)
    for (let look = 0; look < 3; look++) {
      await clock.advance(1000)
      expect(await show(authorize, first)).toBe(true)
    }
    for (const broken of ['', '# nothing', `${second} nope`, `${second}\n${second}`]) {
      await writeFile(file, broken)
      await clock.advance(1000)
      expect([await show(authorize, first), await show(authorize, second)]).toEqual([true, false])
    }
    expect(lines).toEqual(Array(4).fill('API keys stay as they were'))
    await writeFile(file, second)
    await clock.advance(1000)
    expect(await Promise.all([show(authorize, first), show(authorize, second)])).toEqual([false, true])
    expect(lines.at(-1)).toBe('API keys were read again')
  })
})

describe('a list of keys', () => {
  test.each([
    ['a b c', "line 1 is not '[<name>: ]<key>[ <api>,<api>...]'"],
    [`\n${first} inference,`, 'line 2 names an unknown api; there are health, metadata, inference, '],
    [`ann:${first}`, "line 1 is not '[<name>: ]<key>[ <api>,<api>...]'"],
    [`${first}\nann: ${first} health`, 'line 2 has a key that stands above already'],
    ['', 'there is no key in it'],
  ])('%j is refused', (text, message) => {
    expect(() => readApiKeys(text)).toThrow(message)
  })

  test('holds what was written, and no key itself', () => {
    const keys = fc.stringMatching(/^[A-Za-z0-9._~+/-]{16,40}={0,2}$/)
    const scopes = fc.option(fc.uniqueArray(fc.constantFrom(...accessApis), { minLength: 1 }), { nil: undefined })
    const names = fc.option(fc.stringMatching(/^[\w.@-]{1,8}$/), { nil: undefined })
    const entries = fc.uniqueArray(fc.tuple(keys, scopes, names), { minLength: 1, selector: ([key]) => key })
    fc.assert(
      fc.property(entries, (list) => {
        const text = list.map(([key, scope, name]) => `${name ? `${name}: ` : ''}${key} ${scope?.join(',') ?? ''}`)
        const read = [...readApiKeys(text.join('\n'))]
        expect(read.map(([, scope]) => scope && [...scope])).toEqual(list.map(([, scope]) => scope))
        expect(read.some(([digest], i) => digest.includes(list[i]?.[0] as string))).toBe(false)
      }),
    )
  })

  test('of any text is read, or refused with a clear error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        try {
          readApiKeys(text)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_ARG' })
        }
      }),
    )
  })
})

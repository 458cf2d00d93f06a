import { createHash } from 'node:crypto'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { config, input, repository, started } from '../fixtures/server-rig.ts'
import { checksum, silentLogger } from '../index.ts'
import type { AgentModel } from './repository-agent.ts'

const options = { repositoryAgents: [checksum()] }
const digest = (algorithm: string, data: string | Uint8Array): string =>
  createHash(algorithm).update(data).digest('hex')

const withChecksum = (key: string, value: string): string =>
  config(`model_repository_agents {
    agents { name: "checksum" parameters { key: ${JSON.stringify(key)} value: "${value}" } } }`)

const files = (key: string, value: string) => ({
  'm/config.pbtxt': withChecksum(key, value),
  'm/1/weights': 'abc',
})

/** What the agent says of these parameters in a model's directory. */
async function verify(directory: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  try {
    const model = { location: directory, parameters } as Partial<AgentModel> as AgentModel
    await checksum().modelAction('LOAD', model, new AbortController().signal)
    return 'right'
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `${code} ${message}`
  }
}

test('a model with a wrong checksum stops the start, with the text of Triton in log and error', async () => {
  const errors: string[] = []
  const logger = { ...silentLogger, error: (_: object, text: string) => void errors.push(text) }
  const text = `Mismatched MD5 hash for file 1/weights, expect: invalid_checksum, got: ${digest('md5', 'abc')}`
  await expect(started(files('MD5:1/weights', 'invalid_checksum'), { ...options, logger })).rejects.toThrow(
    `failed to load all models\n'm': ${text}`,
  )
  expect(errors).toEqual([`Poll failed for model 'm': ${text}`])
})

test.each(['MD5', 'md5', 'SHA256', 'Sha256'])('a model with a right checksum loads and serves: %s', async (name) => {
  const right = digest(name.toLowerCase(), 'abc')
  const server = await started(files(`${name}:1/weights`, right), options)
  expect(await server.infer('m', input())).toMatchObject({ OUT: { shape: [1, 2] } })
})

test('a file that is changed is not loaded, and what served before goes on', async () => {
  const made = await repository(files('MD5:1/weights', digest('md5', 'abc')))
  const server = await started({}, { ...options, modelRepository: made.path, modelControl: 'explicit' })
  await server.load('m')
  await made.write({ 'm/1/weights': 'abcd' })
  await expect(server.load('m')).rejects.toMatchObject({ cause: { code: 'INVALID_ARG' } })
  expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'READY' }])
  await server.infer('m', input())
  await made.write({ 'm/config.pbtxt': withChecksum('MD5:1/weights', digest('md5', 'abcd')) })
  await server.load('m')
})

test('what cannot be checked fails with the texts of Triton', async () => {
  const { path } = await repository({ 'm/1/weights': 'abc', secret: 'abc' })
  await symlink(join(path, 'secret'), join(path, 'm/link'))
  const model = join(path, 'm')
  const cannot = 'INVALID_ARG failed to open text file for read'
  expect(await verify(model, { weights: '' })).toBe('INVALID_ARG failed to parse key: weights')
  expect(await verify(model, { 'CRC:weights': '' })).toBe('UNSUPPORTED Unsupported checksum algorithm: CRC')
  expect(await verify(model, { 'MD5:gone': '' })).toBe(`${cannot} gone: No such file or directory`)
  expect(await verify(model, { 'MD5:1': '' })).toBe(`${cannot} 1: Illegal operation on a directory`)
  for (const path of ['../secret', '/etc/passwd', 'link']) {
    const text = `${cannot} ${path}: it is outside of the model directory`
    expect(await verify(model, { [`MD5:${path}`]: digest('md5', 'abc') })).toBe(text)
  }
})

test('every parameter counts, in the order of the file', async () => {
  const { path } = await repository({ a: 'a', b: 'b', c: 'c' })
  const right = { 'MD5:a': digest('md5', 'a'), 'SHA256:b': digest('sha256', 'b') }
  expect(await verify(path, {})).toBe('right')
  expect(await verify(path, right)).toBe('right')
  expect(await verify(path, { ...right, 'MD5:c': 'x', 'MD5:gone': '' })).toMatch('Mismatched MD5 hash for file c')
})

test('one byte makes the difference, wherever it is and however large the file is', async () => {
  const { path, write } = await repository({})
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200_000 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1))),
      async ([size, at]) => {
        const data = new Uint8Array(size).fill(7)
        const parameters = { 'SHA256:f': digest('sha256', data) }
        await write({ f: data })
        expect(await verify(path, parameters)).toBe('right')
        data[at] = 8
        await write({ f: data })
        expect(await verify(path, parameters)).toMatch('Mismatched SHA256 hash')
      },
    ),
    { numRuns: 20 },
  )
})

test('a load that is given up ends the reading', async () => {
  const { path } = await repository({ f: 'abc' })
  const model = { location: path, parameters: { 'MD5:f': '' } } as Partial<AgentModel> as AgentModel
  await expect(checksum().modelAction('LOAD', model, AbortSignal.abort())).rejects.toThrow('aborted')
})

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { certificateAuthority, modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLog } from './log.ts'
import { settingsOf } from './settings.ts'
import { startServing } from './start-serving.ts'

const authority = certificateAuthority()
const key = 'a-key-that-nobody-guesses'
let repository: TemporaryRepository
const file = (name: string): string => join(repository.path, name)

beforeAll(async () => {
  repository = await modelRepository({})
  const server = authority.issue('server')
  await writeFile(file('cert.pem'), server.cert)
  await writeFile(file('key.pem'), server.key)
  await writeFile(file('other.pem'), authority.issue('other').key)
  await writeFile(file('ca.pem'), authority.cert)
  await writeFile(file('keys'), `ann: ${key}\n`)
})
afterAll(() => repository[Symbol.asyncDispose]())

async function start(...flags: string[]) {
  const settings = settingsOf([
    `--model-repository=${repository.path}`,
    ...['--http-address=127.0.0.1', '--http-port=0', '--metrics-port=0', '--allow-grpc=false', '--log-info=false'],
    ...flags,
  ])
  const log = openLog(settings.log)
  const serving = await startServing(settings, log)
  return {
    http: serving?.http?.port as number,
    metrics: serving?.metrics?.port as number,
    async [Symbol.asyncDispose]() {
      await serving?.stop()
      await log.close()
    },
  }
}

async function status(port: number, path: string, headers = {}, client = {}): Promise<number | undefined> {
  const options = { host: '127.0.0.1', port, path, headers, ca: authority.cert, agent: false, ...client }
  const [response] = (await once(request(options).end(), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

describe('a server with keys and certificates', () => {
  test('answers HTTP and metrics to those who show a key, over TLS', async () => {
    const tls = [`--http-server-cert=${file('cert.pem')}`, `--http-server-key=${file('key.pem')}`]
    await using serving = await start(...tls, `--api-key-file=${file('keys')}`, '--api-key-exempt-apis=health')
    const authorized = { authorization: `Bearer ${key}` }
    for (const [port, path] of [
      [serving.http, '/v2'],
      [serving.metrics, '/metrics'],
    ] as const) {
      expect(await status(port, path)).toBe(401)
      expect(await status(port, path, { 'x-api-key': 'another-key-of-some-length' })).toBe(401)
      expect(await status(port, path, authorized)).toBe(200)
    }
    expect(await status(serving.http, '/v2/health/live')).toBe(200)
  })

  test('wants certificates of clients too, where it knows an authority', async () => {
    const tls = [`--http-server-cert=${file('cert.pem')}`, `--http-server-key=${file('key.pem')}`]
    await using serving = await start(...tls, `--http-root-cert=${file('ca.pem')}`)
    expect(await status(serving.http, '/v2', {}, authority.issue('client'))).toBe(200)
    for (const port of [serving.http, serving.metrics]) await expect(status(port, '/v2')).rejects.toThrow()
  })

  test.each([
    [
      ['--api-key-file=/no/keys'],
      "creating server: Invalid argument - API keys cannot be read from '/no/keys': ENOENT",
    ],
    [
      ['--http-server-cert=/no/cert', '--http-server-key=/no/key'],
      "creating server: Invalid argument - the TLS file '/no/key' cannot be read: ENOENT",
    ],
  ])('does not start without its files: %j', async (flags, message) => {
    await expect(start(...flags)).rejects.toThrow(message)
  })

  test.each([
    ['keys', 'key.pem', 'ca.pem', 'keys'],
    ['cert.pem', 'keys', 'ca.pem', 'keys'],
    ['cert.pem', 'other.pem', 'ca.pem', 'other.pem'],
    ['cert.pem', 'key.pem', 'keys', 'keys'],
  ])('names the file that is none, or does not fit, before it loads models: %s %s %s', async (cert, pem, ca, wrong) => {
    const flags = [`--http-server-cert=${file(cert)}`, `--http-server-key=${file(pem)}`]
    const root = [`--http-root-cert=${file(ca)}`]
    const broken = ['--model-control-mode=explicit', '--load-model=none']
    const text = `creating server: Invalid argument - the TLS file '${file(wrong)}' cannot be used: `
    await expect(start(...flags, ...root, ...broken)).rejects.toThrow(text)
  })
})

import { writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import type { Environment } from './credentials.ts'
import { openStore } from './open-store.ts'
import { FaultyProxy } from './servers/faulty-proxy.ts'

const keys = { AWS_ACCESS_KEY_ID: 'THEKEY', AWS_SECRET_ACCESS_KEY: 'secret' }
const profiles = `
[default]
region = eu-default-1
[profile work]
region = eu-work-1
`
const profileKeys = `
[work]
aws_access_key_id = WORKKEY
aws_secret_access_key = secret
`
let server: FaultyProxy
let home: string
beforeAll(async () => {
  server = await FaultyProxy.start('http://127.0.0.1:1')
})
afterAll(() => server.stop())

/** The SDK looks into the environment of the process by itself: it finds nothing there but what a test puts there. */
beforeEach(async () => {
  home = await temporaryDirectory()
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_CONFIG_FILE', join(home, 'config'))
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(home, 'credentials'))
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** How the first request to the server was signed. */
async function signed(environment: Environment): Promise<{ headers: IncomingHttpHeaders; url: string; error: string }> {
  let seen: { headers: IncomingHttpHeaders; url: string } | undefined
  server.fault = ({ headers, url = '' }) => {
    seen = { headers, url }
    return { status: 403, body: '<Error><Code>AccessDenied</Code><Message>No</Message></Error>' }
  }
  const store = await openStore(`s3://${server.origin}/bucket`, { environment })
  const error: unknown = await store.list('', new AbortController().signal).catch((error: unknown) => error)
  await store.dispose()
  if (seen === undefined) throw error
  return { ...seen, error: String(error) }
}

const scope = (id: string, region: string): RegExp => new RegExp(`Credential=${id}/\\d{8}/${region}/s3/`)

test('keys sign, for the region that was given, and the bucket is in the path', async () => {
  const { headers, url } = await signed({ ...keys, AWS_DEFAULT_REGION: 'eu-central-1' })
  expect(headers.authorization).toMatch(scope('THEKEY', 'eu-central-1'))
  expect(headers).not.toHaveProperty('x-amz-security-token')
  expect(url).toMatch(/^\/bucket\/?\?/)
})

test('a session token goes with the keys', async () => {
  const { headers } = await signed({ ...keys, AWS_SESSION_TOKEN: 'session' })
  expect(headers['x-amz-security-token']).toBe('session')
  expect(headers.authorization).toMatch(scope('THEKEY', 'us-east-1'))
})

test('without keys the profile signs, with its region; keys count more than a profile', async () => {
  await writeFile(join(home, 'config'), profiles)
  await writeFile(join(home, 'credentials'), profileKeys)
  expect((await signed({ AWS_PROFILE: 'work' })).headers.authorization).toMatch(scope('WORKKEY', 'eu-work-1'))
  vi.stubEnv('AWS_PROFILE', 'work')
  expect((await signed({ AWS_PROFILE: 'work', ...keys })).headers.authorization).toMatch(scope('THEKEY', 'eu-work-1'))
})

test('without anything requests are not signed, and a refusal says so', async () => {
  const { headers, error } = await signed({})
  expect(headers).not.toHaveProperty('authorization')
  expect(error).toBe(
    `StoreError: access to bucket 'bucket' at ${server.origin} is denied; the request was not signed, since there are no AWS credentials: Could not load credentials from any providers (403 AccessDenied: No)`,
  )
})

test('a file of credentials is read again when access is denied', async () => {
  const file = join(home, 'cloud.json')
  const write = (key_id: string) => writeFile(file, JSON.stringify({ s3: { '': { key_id, secret_key: 'secret' } } }))
  await write('OLD')
  const store = await openStore(`s3://${server.origin}/bucket`, { environment: { TRITON_CLOUD_CREDENTIAL_PATH: file } })
  const asked: string[] = []
  server.fault = ({ headers }) => {
    const id = /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? ''
    asked.push(id)
    return id === 'OLD' ? { status: 403 } : { status: 200, body: '<ListBucketResult/>' }
  }
  const { signal } = new AbortController()
  await expect(store.list('', signal)).rejects.toMatchObject({ kind: 'denied' })
  expect(asked).toEqual(['OLD', 'OLD'])
  await write('NEW')
  expect(await Promise.all([store.list('', signal), store.list('', signal)])).toEqual([[], []])
  expect(asked.slice(2).sort()).toEqual(['NEW', 'NEW', 'OLD', 'OLD'])
  await writeFile(file, 'broken')
  server.fault = () => ({ status: 403 })
  await expect(store.list('', signal)).rejects.toMatchObject({ kind: 'denied' })
  await store.dispose()
})

test('the shared files are read again when access is denied', async () => {
  const write = (id: string) => writeFile(join(home, 'credentials'), profileKeys.replace('WORKKEY', id))
  await write('OLD')
  const store = await openStore(`s3://${server.origin}/bucket`, { environment: { AWS_PROFILE: 'work' } })
  server.fault = ({ headers }) =>
    headers.authorization?.includes('Credential=NEW/') ? { status: 200, body: '<ListBucketResult/>' } : { status: 403 }
  const { signal } = new AbortController()
  await expect(store.list('', signal)).rejects.toMatchObject({ kind: 'denied' })
  await write('NEW')
  expect(await store.list('', signal)).toEqual([])
  await store.dispose()
})

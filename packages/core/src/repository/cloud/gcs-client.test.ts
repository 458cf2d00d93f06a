import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { cleanUp } from '../../fixtures/server-rig.ts'
import { installedSdks } from './cloud-sdks.ts'
import { gcsClient } from './gcs-client.ts'

const url = 'https://storage.googleapis.com/storage/v1/b/bucket/o'

/** Google's package looks into the environment of the process, the home directory and the network. */
beforeEach(async () => {
  const home = await temporaryDirectory()
  vi.stubEnv('HOME', home)
  vi.stubEnv('CLOUDSDK_CONFIG', home)
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined)
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none')
  // Else it runs `gcloud`, where there is one, which takes seconds.
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'project')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('an emulator is asked without credentials, by its host alone or its URL', async () => {
  const endpoint = async (STORAGE_EMULATOR_HOST: string) => {
    const client = await gcsClient(installedSdks, {}, { STORAGE_EMULATOR_HOST })
    expect([...(await client.headers(url))]).toEqual([])
    return client.endpoint
  }
  expect(await endpoint('localhost:9000')).toBe('http://localhost:9000')
  expect(await endpoint('http://localhost:9000/')).toBe('http://localhost:9000')
  expect(await endpoint('https://gcs.example/storage/v1')).toBe('https://gcs.example')
})

test('where no credentials are found requests go without', async () => {
  const client = await gcsClient(installedSdks, {}, {})
  expect(client.endpoint).toBe('https://storage.googleapis.com')
  expect([...(await client.headers(url))]).toEqual([])
  expect(client.isAnonymous()).toBe(true)
})

test('a file of credentials that is missing is an error, not a request without them', async () => {
  const client = await gcsClient(installedSdks, { path: join(await temporaryDirectory(), 'key.json') }, {})
  await expect(client.headers(url)).rejects.toMatchObject({ name: 'StoreError', kind: 'denied' })
  await expect(client.headers(url)).rejects.toThrow(/no access with the Google credentials: .*key\.json/)
})

test('the service account of the machine is asked for a token', async () => {
  const token = '{"access_token":"the-token","expires_in":3600,"token_type":"Bearer"}'
  const metadata = createServer(({ url = '' }, response) => {
    const [type, answer] = url.includes('/token') ? ['application/json', token] : ['text/plain', 'x']
    response.writeHead(200, { 'metadata-flavor': 'Google', 'content-type': type }).end(answer)
  }).listen(0, '127.0.0.1')
  cleanUp(async () => {
    metadata.close()
    metadata.closeAllConnections()
  })
  await once(metadata, 'listening')
  const address = metadata.address()
  vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present')
  const client = await gcsClient(installedSdks, {}, {})
  expect((await client.headers(url)).get('authorization')).toBe('Bearer the-token')
  expect(client.isAnonymous()).toBe(false)
})

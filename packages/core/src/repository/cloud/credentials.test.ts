import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { credentialFor } from './credentials.ts'

const withFile = async (content: unknown): Promise<{ file: string; environment: Record<string, string> }> => {
  const file = join(await temporaryDirectory(), 'credentials.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return { file, environment: { TRITON_CLOUD_CREDENTIAL_PATH: file, AWS_ACCESS_KEY_ID: 'from the environment' } }
}

test('the environment is asked where there is no file', async () => {
  const environment = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_DEFAULT_REGION: 'eu-west-1',
    AWS_PROFILE: 'work',
    GOOGLE_APPLICATION_CREDENTIALS: '/key.json',
    AZURE_STORAGE_ACCOUNT: 'account',
    AZURE_STORAGE_KEY: 'key',
    AZURE_STORAGE_AUTH_TYPE: 'default',
    AZURE_STORAGE_CLIENT_ID: 'client',
  }
  expect(await credentialFor('s3', { path: 's3://b' }, environment)).toEqual({
    key_id: 'id',
    secret_key: 'secret',
    session_token: 'token',
    region: 'eu-west-1',
    profile: 'work',
  })
  expect(await credentialFor('gs', { path: 'gs://b' }, environment)).toEqual({ path: '/key.json' })
  expect(await credentialFor('as', { path: 'as://a/b' }, environment)).toEqual({
    account_str: 'account',
    account_key: 'key',
    auth_type: 'default',
    client_id: 'client',
  })
})

test('in a file the longest name that the path begins with wins, and the empty one is for all others', async () => {
  const { environment } = await withFile({
    s3: {
      's3://bucket': { key_id: 'bucket', region: 'eu-west-1' },
      '': { key_id: 'default' },
      's3://bucket/a': { key_id: 'a' },
    },
    gs: { '': '/all.json', 'gs://bucket': '/bucket.json' },
    as: { 'as://account/models': { account_str: 'x', account_key: 'k' } },
  })
  const keyId = async (path: string) => (await credentialFor('s3', { path }, environment)).key_id
  expect(await keyId('s3://bucket/a/models')).toBe('a')
  expect(await keyId('s3://bucket/b/models')).toBe('bucket')
  expect(await keyId('s3://other')).toBe('default')
  expect(await credentialFor('gs', { path: 'gs://bucket/x' }, environment)).toEqual({ path: '/bucket.json' })
  expect(await credentialFor('gs', { path: 'gs://other/x' }, environment)).toEqual({ path: '/all.json' })
  await expect(credentialFor('as', { path: 'as://account/other' }, environment)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'Cannot match credential for path  as://account/other',
  })
})

test('a file without a word on a cloud has no credential for it', async () => {
  const { environment } = await withFile({ gs: { '': '/key.json' } })
  await expect(credentialFor('s3', { path: 's3://b' }, environment)).rejects.toThrow(
    /^Cannot match credential for path {2}s3:\/\/b$/,
  )
})

test('a file that is missing is named', async () => {
  const environment = { TRITON_CLOUD_CREDENTIAL_PATH: '/no/such/file.json' }
  await expect(credentialFor('s3', { path: 's3://b' }, environment)).rejects.toMatchObject({
    code: 'INTERNAL',
    message: 'failed to open text file for read /no/such/file.json: No such file or directory',
  })
})

test.each([
  ['{ "s3": { "": { "secret_key": "geheim', 'is not valid JSON'],
  [[], ': the whole must be an object'],
  [{ s3: 'x' }, ': "s3" must be an object'],
  [{ s3: { '': 'geheim' } }, ': "s3" → "" must be an object'],
  [{ s3: { 's3://b': { key_id: 5 } } }, ': "s3" → "s3://b": \'key_id\' must be a string'],
])('a file that is wrong is named, and its secrets are not: %j', async (content, text) => {
  const { file, environment } = await withFile(content)
  const failure = await credentialFor('s3', { path: 's3://b' }, environment).catch((error: unknown) => error)
  const message = `cloud credential file '${file}'${text.startsWith(':') ? '' : ' '}${text}`
  expect(failure).toMatchObject({ name: 'TritonError', code: 'INVALID_ARG', message })
  expect(failure).not.toHaveProperty('cause')
})

import { expect, test } from 'vitest'
import { azureClient } from './azure-client.ts'
import { parseCloudPath } from './cloud-path.ts'
import { installedSdks } from './cloud-sdks.ts'
import type { Credential } from './credentials.ts'

const client = (path: string, given: Credential<'as'> = {}) => azureClient(installedSdks, parseCloudPath(path), given)
const url = async (path: string, given?: Credential<'as'>) => (await client(path, given)).client.url

test('the account is the one that was given, else the one of the path', async () => {
  expect(await url('as://acc/models/a')).toBe('https://acc.blob.core.windows.net/models')
  expect(await url('as://acc.blob.core.windows.net/models')).toBe('https://acc.blob.core.windows.net/models')
  expect(await url('as://acc/models', { account_str: 'real' })).toBe('https://real.blob.core.windows.net/models')
})

test('hosts of other domains and emulators stay as they are', async () => {
  expect(await url('as://acc.blob.core.chinacloudapi.cn/models')).toBe('https://acc.blob.core.chinacloudapi.cn/models')
  expect(await url('as://http://127.0.0.1:10000/dev/models', { account_str: 'real' })).toBe(
    'http://127.0.0.1:10000/dev/models',
  )
})

test.each([
  [{}, 'AnonymousCredential', true],
  [{ auth_type: 'key' }, 'AnonymousCredential', true],
  [{ account_key: 'a2V5' }, 'StorageSharedKeyCredential', false],
  [{ auth_type: 'default', account_key: 'a2V5' }, 'DefaultAzureCredential', false],
  [{ auth_type: 'managed_identity' }, 'ManagedIdentityCredential', false],
  [{ auth_type: 'managed_identity', client_id: 'id' }, 'ManagedIdentityCredential', false],
])('%j is asked for as %s', async (given, credential, isAnonymous) => {
  const made = await client('as://acc/models', given)
  expect(made.client.credential.constructor.name).toBe(credential)
  expect(made.isAnonymous).toBe(isAnonymous)
})

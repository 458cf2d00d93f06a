import { expect, test } from 'vitest'
import { installedSdks, orNameIt } from './cloud-sdks.ts'
import { openStore } from './open-store.ts'

const notFound = Object.assign(new Error("Cannot find package 'x'"), { code: 'ERR_MODULE_NOT_FOUND' })

test('a package that is missing is named with the command that installs it', async () => {
  const sdks = { ...installedSdks, s3: () => orNameIt('s3', '@aws-sdk/client-s3', Promise.reject(notFound)) }
  await expect(openStore('s3://bucket', { environment: {}, sdks })).rejects.toMatchObject({
    name: 'TritonError',
    code: 'UNSUPPORTED',
    message:
      's3:// file-system not supported. To enable, install the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3',
  })
})

test('what else goes wrong in a package is told as it is', async () => {
  const broken = new SyntaxError('broken')
  await expect(orNameIt('gs', '@google-cloud/storage', Promise.reject(broken))).rejects.toBe(broken)
})

test('of Azure the package for identities is needed only where one is asked for', async () => {
  const sdks = { ...installedSdks, identity: () => orNameIt('as', '@azure/identity', Promise.reject(notFound)) }
  const open = (environment: Record<string, string>) => openStore('as://account/models', { environment, sdks })
  await (await open({ AZURE_STORAGE_KEY: 'a2V5' })).dispose()
  for (const AZURE_STORAGE_AUTH_TYPE of ['default', 'managed_identity'])
    await expect(open({ AZURE_STORAGE_AUTH_TYPE })).rejects.toThrow(/install the package @azure\/identity/)
  await expect(open({ AZURE_STORAGE_AUTH_TYPE: 'kerberos' })).rejects.toMatchObject({
    code: 'INVALID_ARG',
    message: "Azure authentication type 'kerberos' is not known; use key, managed_identity or default",
  })
})

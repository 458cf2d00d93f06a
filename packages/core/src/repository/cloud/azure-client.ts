import type { TokenCredential } from '@azure/identity'
import type { ContainerClient, StorageSharedKeyCredential as SharedKey } from '@azure/storage-blob'
import { TritonError } from '../../errors.ts'
import type { CloudPath } from './cloud-path.ts'
import type { CloudSdks } from './cloud-sdks.ts'
import type { Credential } from './credentials.ts'

const serviceHost = '.blob.core.windows.net'

/**
 * A client for the path's container. Who asks: with `auth_type` managed_identity the machine's identity (of `client_id`,
 * where there are several), with default whatever Azure's own chain finds, else the account key; without a key requests
 * are not signed, as in Triton, which public containers answer.
 * @throws TritonError INVALID_ARG for another `auth_type`.
 */
export async function azureClient(
  sdks: CloudSdks,
  path: CloudPath,
  given: Credential<'as'>,
): Promise<{ client: ContainerClient; isAnonymous: boolean }> {
  const { BlobServiceClient, StorageSharedKeyCredential } = await sdks.blob()
  const { account, url } = service(path, given)
  const client = (credential?: SharedKey | TokenCredential): ContainerClient =>
    // Trying again is the caller's.
    new BlobServiceClient(url, credential, { retryOptions: { maxTries: 1 } }).getContainerClient(path.bucket)

  switch (given.auth_type || 'key') {
    case 'managed_identity': {
      const { ManagedIdentityCredential } = await sdks.identity()
      const identity = given.client_id
        ? new ManagedIdentityCredential(given.client_id)
        : new ManagedIdentityCredential()
      return { client: client(identity), isAnonymous: false }
    }
    case 'default': {
      const { DefaultAzureCredential } = await sdks.identity()
      return { client: client(new DefaultAzureCredential()), isAnonymous: false }
    }
    case 'key':
      return given.account_key
        ? { client: client(new StorageSharedKeyCredential(account, given.account_key)), isAnonymous: false }
        : { client: client(), isAnonymous: true }
    default: {
      const text = `Azure authentication type '${given.auth_type}' is not known; use key, managed_identity or default`
      throw new TritonError('INVALID_ARG', text)
    }
  }
}

/**
 * The account that was given counts more than the one in the path, as in Triton. A host of another domain (another
 * cloud, a private end point) stays as it is, and so does an emulator, which has the account in its path.
 */
function service(
  { account: named = '', endpoint }: CloudPath,
  given: Credential<'as'>,
): { account: string; url: string } {
  if (endpoint !== undefined) return { account: named, url: `${endpoint}/${named}` }
  const [label = named] = named.split('.')
  const account = given.account_str || label
  const isForeign = named.includes('.') && !named.endsWith(serviceHost)
  return { account, url: `https://${isForeign ? named : account + serviceHost}` }
}

import { AzureStore } from './azure-store.ts'
import { parseCloudPath } from './cloud-path.ts'
import { type CloudSdks, installedSdks } from './cloud-sdks.ts'
import { credentialFor, type Environment } from './credentials.ts'
import { GcsStore } from './gcs-store.ts'
import type { ObjectStore } from './object-store.ts'
import { RenewedStore } from './renewed-store.ts'
import { S3Store } from './s3-store.ts'

export interface OpenStoreOptions {
  /** Where credentials are looked for. Default: the environment of the process. */
  readonly environment?: Environment | undefined
  /** Default: the packages that are installed. */
  readonly sdks?: CloudSdks | undefined
  /** The most objects in one answer to a listing. Default: as many as the service gives. */
  readonly pageSize?: number | undefined
}

/**
 * The store that a path names: `s3://`, `gs://` or `as://`. It asks the service nothing yet.
 * @throws TritonError for a path or a credential that makes no sense, and when the cloud's package is not installed.
 */
export async function openStore(path: string, options: OpenStoreOptions = {}): Promise<ObjectStore> {
  const { environment = process.env, sdks = installedSdks, pageSize } = options
  const place = { ...parseCloudPath(path), pageSize }
  const open = async (): Promise<ObjectStore> => {
    switch (place.cloud) {
      case 's3':
        return S3Store.open(sdks, place, await credentialFor('s3', place, environment))
      case 'gs':
        return GcsStore.open(sdks, place, await credentialFor('gs', place, environment), environment)
      case 'as':
        return AzureStore.open(sdks, place, await credentialFor('as', place, environment))
    }
  }
  return new RenewedStore(await open(), open)
}

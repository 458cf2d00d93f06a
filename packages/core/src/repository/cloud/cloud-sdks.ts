import { TritonError } from '../../errors.ts'
import type { Cloud } from './cloud-path.ts'

/** The packages that speak to the clouds. They are optional: each is loaded when the first repository needs it. */
export interface CloudSdks {
  s3(): Promise<typeof import('@aws-sdk/client-s3')>
  storage(): Promise<typeof import('@google-cloud/storage')>
  blob(): Promise<typeof import('@azure/storage-blob')>
  identity(): Promise<typeof import('@azure/identity')>
}

/** The packages as they are installed beside this one. */
export const installedSdks: CloudSdks = {
  s3: () => orNameIt('s3', '@aws-sdk/client-s3', import('@aws-sdk/client-s3')),
  storage: () => orNameIt('gs', '@google-cloud/storage', import('@google-cloud/storage')),
  blob: () => orNameIt('as', '@azure/storage-blob', import('@azure/storage-blob')),
  identity: () => orNameIt('as', '@azure/identity', import('@azure/identity')),
}

/**
 * `loading`, or an error that says which package to install, with the beginning of Triton's text.
 * @throws TritonError UNSUPPORTED where the package is not installed.
 */
export async function orNameIt<T>(cloud: Cloud, name: string, loading: Promise<T>): Promise<T> {
  return loading.catch((cause: unknown) => {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause
    const text = `${cloud}:// file-system not supported. To enable, install the package ${name}: npm install ${name}`
    throw new TritonError('UNSUPPORTED', text, { cause })
  })
}

import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import type { CloudPath } from './cloud-path.ts'
import type { CloudSdks } from './cloud-sdks.ts'
import type { Credential } from './credentials.ts'

/** Enough for several models that are downloaded at once. The SDK's agents keep connections alive. */
const maxSockets = 128

/**
 * A client for the path. Keys that were given count first, then the profile, then the SDK's own chain (files, container,
 * machine). Where there is nothing requests are not signed, as in Triton, which public buckets answer; `unsigned` says why.
 */
export async function s3Client(
  { S3Client }: Awaited<ReturnType<CloudSdks['s3']>>,
  path: CloudPath,
  given: Credential<'s3'>,
): Promise<{ client: S3Client; unsigned?: string }> {
  const basis: S3ClientConfig = {
    ...(path.endpoint && { endpoint: path.endpoint, forcePathStyle: true }),
    ...(given.profile && { profile: given.profile }),
    // Trying again is the caller's.
    maxAttempts: 1,
    followRegionRedirects: true,
    requestHandler: { httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
  }
  // Else the SDK reads the shared files once in the life of a process, and never sees keys that were replaced there.
  const fresh: S3ClientConfig & { ignoreCache: boolean } = { ...basis, ignoreCache: true }
  const chain = new S3Client(fresh)
  const region = given.region || (await chain.config.region().catch(() => 'us-east-1'))
  const found = given.key_id && given.secret_key ? { credentials: keys(given) } : await chained(chain)
  chain.destroy()
  if ('credentials' in found) return { client: new S3Client({ ...basis, region, ...found }) }
  const nobody = { accessKeyId: '', secretAccessKey: '' }
  const signer = { sign: async <Request>(request: Request) => request }
  return { client: new S3Client({ ...basis, region, credentials: nobody, signer }), unsigned: found.unsigned }
}

const keys = ({ key_id = '', secret_key = '', session_token }: Credential<'s3'>) => ({
  accessKeyId: key_id,
  secretAccessKey: secret_key,
  ...(session_token && { sessionToken: session_token }),
})

/** What the SDK's chain finds, which it renews by itself, or why it finds nothing. */
async function chained({
  config,
}: S3Client): Promise<{ credentials: S3Client['config']['credentials'] } | { unsigned: string }> {
  try {
    await config.credentials()
    return { credentials: config.credentials }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return { unsigned: `the request was not signed, since there are no AWS credentials: ${reason}` }
  }
}

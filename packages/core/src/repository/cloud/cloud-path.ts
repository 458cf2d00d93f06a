import { TritonError } from '../../errors.ts'

/** The clouds, by the beginning of their paths: S3 (`s3://`), Google Cloud Storage (`gs://`), Azure Storage (`as://`). */
export type Cloud = 's3' | 'gs' | 'as'

/** Where a cloud repository is. */
export interface CloudPath {
  /** As the user wrote it. */
  readonly path: string
  readonly cloud: Cloud
  /** The bucket; with Azure the container. */
  readonly bucket: string
  /** What all keys of the repository begin with: empty, or ends with a slash. */
  readonly prefix: string
  /** `http(s)://host:port` where the path names a server. */
  readonly endpoint?: string | undefined
  /** With Azure: the account, or the host of its Blob service. */
  readonly account?: string | undefined
}

/** Where a store is, and how it is listed. */
export interface StorePlace extends CloudPath {
  /** The most objects in one answer. Default: as many as the service gives. */
  readonly pageSize?: number | undefined
}

/** The cloud that a repository path names; undefined where it is a directory on this machine. */
export function cloudOf(path: string): Cloud | undefined {
  return /^(s3|gs|as):\/\//.exec(path)?.[1] as Cloud | undefined
}

/**
 * Takes the path of a cloud repository apart.
 * @throws TritonError where it names no bucket, with Triton's text.
 */
export function parseCloudPath(path: string): CloudPath {
  const cloud = cloudOf(path)
  const rest = path.slice('s3://'.length)
  if (cloud === 's3') return s3Path(path, rest)
  if (cloud === 'gs') return { path, cloud, ...bucketAndPrefix(path, rest) }
  if (cloud === 'as') return azurePath(path, rest)
  throw new TritonError(
    'INVALID_ARG',
    `'${path}' is not the path of a cloud repository: it begins with s3://, gs:// or as://`,
  )
}

/**
 * As in Triton, a host without `http://` or `https://` is one only if it has a port, and is spoken to over http. One that
 * no bucket follows is a host, too: nobody's bucket has such a name, and AWS must not be asked for it.
 */
function s3Path(path: string, rest: string): CloudPath {
  const host = String.raw`(?:[\w\-.]+|\[[0-9a-fA-F:]+\])`
  const [, scheme, server, inServer] =
    new RegExp(`^(https?://)(${host}(?::\\d+)?)(/.*|)$`, 's').exec(rest) ??
    new RegExp(`^()(${host}:\\d+)(/.*|)$`, 's').exec(rest) ??
    []
  const endpoint = server && `${scheme || 'http://'}${server}`
  return { path, cloud: 's3', endpoint, ...bucketAndPrefix(path, (inServer ?? rest).replace(/\/+/g, '/')) }
}

/** `account/container/path`; and, which Triton has not, `http(s)://host:port/account/container/path` for an emulator. */
function azurePath(path: string, rest: string): CloudPath {
  const match = /^(?:(https?:\/\/[^/]+)\/)?([^/]+)\/([^/?]+)(?:\/([^?]*))?(?:\?.*)?$/s.exec(rest)
  const [, endpoint, account, bucket, prefix] = match ?? []
  if (bucket === undefined) throw new TritonError('INTERNAL', `Invalid azure storage path: ${path}`)
  return { path, cloud: 'as', endpoint, account, bucket, prefix: asDirectory(prefix ?? '') }
}

function bucketAndPrefix(path: string, rest: string): { bucket: string; prefix: string } {
  const [, bucket, prefix] = /^\/*([^/]+)(.*)$/s.exec(rest) ?? []
  if (bucket === undefined) throw new TritonError('INTERNAL', `No bucket name found in path: ${path}`)
  return { bucket, prefix: asDirectory(prefix ?? '') }
}

function asDirectory(prefix: string): string {
  const inner = prefix.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `${inner}/`
}

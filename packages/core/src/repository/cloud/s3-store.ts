import type { Readable } from 'node:stream'
import type { ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3'
import type { StorePlace } from './cloud-path.ts'
import type { CloudSdks } from './cloud-sdks.ts'
import type { Credential } from './credentials.ts'
import { namesBelow } from './names-below.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'
import { s3Client } from './s3-client.ts'
import { connectionFailure, objectContent, type ServiceFailure, storeError } from './service-failure.ts'

type Sdk = Awaited<ReturnType<CloudSdks['s3']>>

/** Begins what stands for the ETag that a server does not tell, such as versitygw of files that others put there. */
const dated = 'modified '

/** A prefix of a bucket of AWS S3, or of a server that speaks its protocol. */
export class S3Store implements ObjectStore {
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #place: StorePlace
  readonly #unsigned: string | undefined

  static async open(sdks: CloudSdks, place: StorePlace, credential: Credential<'s3'>): Promise<S3Store> {
    const sdk = await sdks.s3()
    const { client, unsigned } = await s3Client(sdk, place, credential)
    return new S3Store(sdk, client, place, unsigned)
  }

  private constructor(sdk: Sdk, client: S3Client, place: StorePlace, unsigned: string | undefined) {
    this.#sdk = sdk
    this.#client = client
    this.#place = place
    this.#unsigned = unsigned
  }

  /**
   * The ETag is the content's MD5 only where the service chooses so, which a listing does not tell (it is not with KMS
   * or in many servers), so `md5` stays empty. The SDK checks the checksum that most objects have.
   */
  async list(prefix: string, signal: AbortSignal): Promise<StoredObject[]> {
    const found: StoredObject[] = []
    for await (const { Contents = [] } of this.#pages(prefix, undefined, signal)) {
      for (const { Key, Size = 0, ETag, LastModified } of Contents) {
        if (Key === undefined) continue
        const etag = ETag?.replaceAll('"', '') || `${dated}${LastModified?.toISOString() ?? ''}`
        found.push({ key: Key.slice(this.#place.prefix.length), size: Size, etag })
      }
    }
    return found
  }

  async directories(signal: AbortSignal): Promise<string[]> {
    const found: string[] = []
    let files = 0
    for await (const { CommonPrefixes = [], Contents = [] } of this.#pages('', '/', signal)) {
      for (const { Prefix = '' } of CommonPrefixes) found.push(Prefix.slice(this.#place.prefix.length, -1))
      files += Contents.length
    }
    return namesBelow(this.#place, found, files)
  }

  async read(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    const { bucket, prefix } = this.#place
    const failed = (cause: unknown): unknown => this.#error(cause, signal, object)
    const condition = object.etag.startsWith(dated) ? {} : { IfMatch: `"${object.etag}"` }
    const get = { Bucket: bucket, Key: prefix + object.key, ...condition }
    try {
      const { Body } = await this.#client.send(new this.#sdk.GetObjectCommand(get), { abortSignal: signal })
      // In Node a body is always a Readable.
      return objectContent(Body as Readable, failed)
    } catch (cause) {
      throw failed(cause)
    }
  }

  dispose(): void {
    this.#client.destroy()
  }

  async *#pages(
    prefix: string,
    delimiter: '/' | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ListObjectsV2CommandOutput> {
    const { bucket, pageSize } = this.#place
    const query = { Bucket: bucket, Prefix: this.#place.prefix + prefix, Delimiter: delimiter, MaxKeys: pageSize }
    let token: string | undefined
    do {
      const command = new this.#sdk.ListObjectsV2Command({ ...query, ContinuationToken: token })
      const page = await this.#client.send(command, { abortSignal: signal }).catch((cause: unknown) => {
        throw this.#error(cause, signal)
      })
      yield page
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  #error(cause: unknown, signal: AbortSignal, object?: StoredObject): unknown {
    if (signal.aborted) return signal.reason
    const { endpoint, bucket } = this.#place
    const asked = { bucket: `bucket '${bucket}'${endpoint ? ` at ${endpoint}` : ''}`, object, identity: this.#unsigned }
    return storeError(this.#failure(cause), asked)
  }

  #failure(cause: unknown): ServiceFailure {
    if (!(cause instanceof this.#sdk.S3ServiceException)) {
      // A profile, a process or a machine that gave credentials gives none any more.
      const isUnidentified = cause instanceof Error && cause.name === 'CredentialsProviderError'
      return { ...connectionFailure(cause), ...(isUnidentified && { kind: 'denied' }) }
    }
    return { status: cause.$metadata.httpStatusCode, code: cause.name, message: cause.message }
  }
}

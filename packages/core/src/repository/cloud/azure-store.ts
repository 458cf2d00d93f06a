import type { Readable } from 'node:stream'
import type { ContainerClient } from '@azure/storage-blob'
import { azureClient } from './azure-client.ts'
import type { StorePlace } from './cloud-path.ts'
import type { CloudSdks } from './cloud-sdks.ts'
import type { Credential } from './credentials.ts'
import { namesBelow } from './names-below.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'
import { connectionFailure, objectContent, type ServiceFailure, storeError } from './service-failure.ts'

/** A prefix of a container of Azure Blob Storage. */
export class AzureStore implements ObjectStore {
  readonly #client: ContainerClient
  readonly #place: StorePlace
  readonly #isAnonymous: boolean

  static async open(sdks: CloudSdks, place: StorePlace, credential: Credential<'as'>): Promise<AzureStore> {
    const { client, isAnonymous } = await azureClient(sdks, place, credential)
    return new AzureStore(client, place, isAnonymous)
  }

  private constructor(client: ContainerClient, place: StorePlace, isAnonymous: boolean) {
    this.#client = client
    this.#place = place
    this.#isAnonymous = isAnonymous
  }

  /** The MD5 of a blob is whatever its uploader said, which nobody has to check, so `md5` stays empty. */
  async list(prefix: string, signal: AbortSignal): Promise<StoredObject[]> {
    const found: StoredObject[] = []
    const options = { prefix: this.#place.prefix + prefix, abortSignal: signal }
    try {
      for await (const { segment } of this.#client.listBlobsFlat(options).byPage(this.#page)) {
        for (const { name, properties } of segment.blobItems) {
          const { contentLength: size = 0, etag } = properties
          found.push({ key: name.slice(this.#place.prefix.length), size, etag: etag.replaceAll('"', '') })
        }
      }
    } catch (cause) {
      throw this.#error(cause, signal)
    }
    return found
  }

  async directories(signal: AbortSignal): Promise<string[]> {
    const found: string[] = []
    let files = 0
    const options = { prefix: this.#place.prefix, abortSignal: signal }
    try {
      for await (const { segment } of this.#client.listBlobsByHierarchy('/', options).byPage(this.#page)) {
        for (const { name } of segment.blobPrefixes ?? []) found.push(name.slice(this.#place.prefix.length, -1))
        files += segment.blobItems.length
      }
    } catch (cause) {
      throw this.#error(cause, signal)
    }
    return namesBelow(this.#place, found, files)
  }

  async read(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    const failed = (cause: unknown): unknown => this.#error(cause, signal, object)
    const options = { abortSignal: signal, maxRetryRequests: 0, conditions: { ifMatch: `"${object.etag}"` } }
    try {
      const { readableStreamBody } = await this.#client
        .getBlobClient(this.#place.prefix + object.key)
        .download(undefined, undefined, options)
      // In Node there always is one, and it is a Readable.
      return objectContent(readableStreamBody as Readable, failed)
    } catch (cause) {
      throw failed(cause)
    }
  }

  dispose(): void {}

  get #page(): { maxPageSize?: number } {
    const { pageSize } = this.#place
    return pageSize === undefined ? {} : { maxPageSize: pageSize }
  }

  #error(cause: unknown, signal: AbortSignal, object?: StoredObject): unknown {
    if (signal.aborted) return signal.reason
    const identity = this.#isAnonymous ? 'no account key was given, so the request was not signed' : undefined
    const asked = { bucket: `container '${this.#place.bucket}' at ${this.#client.url}`, object, identity }
    return storeError(failureOf(cause), asked)
  }
}

/** Of Azure's identity package, when nobody can be asked who this is. */
const identityErrors = new Set(['AuthenticationError', 'AggregateAuthenticationError', 'CredentialUnavailableError'])

function failureOf(cause: unknown): ServiceFailure {
  const { code, message } = connectionFailure(cause)
  if (cause instanceof Error && 'statusCode' in cause && typeof cause.statusCode === 'number')
    return { status: cause.statusCode, code, message }
  const isUnidentified = cause instanceof Error && identityErrors.has(cause.name)
  return { code, message, ...(isUnidentified && { kind: 'denied' }) }
}

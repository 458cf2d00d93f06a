import { Readable } from 'node:stream'
import type { StorePlace } from './cloud-path.ts'
import type { CloudSdks } from './cloud-sdks.ts'
import type { Credential, Environment } from './credentials.ts'
import { type GcsClient, gcsClient } from './gcs-client.ts'
import { gcsFailure, gcsGet } from './gcs-request.ts'
import { namesBelow } from './names-below.ts'
import { type ObjectStore, type StoredObject, StoreError } from './object-store.ts'
import { objectContent, storeError } from './service-failure.ts'

/** A page of objects, with the fields that are asked for. */
interface Page {
  readonly items?: readonly { name: string; size: string; generation: string; md5Hash?: string }[]
  readonly prefixes?: readonly string[]
  readonly nextPageToken?: string
}

const fields = 'items(name,size,generation,md5Hash),prefixes,nextPageToken'

/**
 * A prefix of a bucket of Google Cloud Storage. Google's package finds credentials; the requests themselves are made
 * here, since its own cannot be cancelled.
 */
export class GcsStore implements ObjectStore {
  readonly #client: GcsClient
  readonly #place: StorePlace

  static async open(
    sdks: CloudSdks,
    place: StorePlace,
    credential: Credential<'gs'>,
    environment: Environment,
  ): Promise<GcsStore> {
    return new GcsStore(await gcsClient(sdks, credential, environment), place)
  }

  private constructor(client: GcsClient, place: StorePlace) {
    this.#client = client
    this.#place = place
  }

  /** The generation of an object stands for its content: it changes when that does, and not with metadata. */
  async list(prefix: string, signal: AbortSignal): Promise<StoredObject[]> {
    const found: StoredObject[] = []
    for await (const { items = [] } of this.#pages({ prefix: this.#place.prefix + prefix }, signal)) {
      for (const { name, size, generation, md5Hash } of items) {
        const md5 = md5Hash && Buffer.from(md5Hash, 'base64').toString('hex')
        found.push({ key: name.slice(this.#place.prefix.length), size: Number(size), etag: generation, md5 })
      }
    }
    return found
  }

  async directories(signal: AbortSignal): Promise<string[]> {
    const found: string[] = []
    let files = 0
    for await (const { prefixes = [], items = [] } of this.#pages(
      { prefix: this.#place.prefix, delimiter: '/' },
      signal,
    )) {
      for (const prefix of prefixes) found.push(prefix.slice(this.#place.prefix.length, -1))
      files += items.length
    }
    return namesBelow(this.#place, found, files)
  }

  async read(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    const name = encodeURIComponent(this.#place.prefix + object.key)
    const response = await this.#get(`/${name}`, { alt: 'media', generation: object.etag }, signal, object)
    if (response.headers.get('x-goog-stored-content-encoding') === 'gzip') {
      await response.body?.cancel()
      const text = `object '${object.key}' is stored with 'Content-Encoding: gzip'; upload it without compression`
      throw new StoreError('failed', text)
    }
    const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body)
    return objectContent(body, (cause) => this.#error(cause, signal, object))
  }

  dispose(): void {}

  async *#pages(query: Record<string, string>, signal: AbortSignal): AsyncGenerator<Page> {
    const { pageSize } = this.#place
    const page = { ...query, fields, ...(pageSize && { maxResults: String(pageSize) }) }
    let pageToken: string | undefined
    do {
      const response = await this.#get('', { ...page, ...(pageToken && { pageToken }) }, signal)
      const answer = (await response.json().catch((cause: unknown) => {
        throw this.#error(cause, signal)
      })) as Page
      yield answer
      pageToken = answer.nextPageToken
    } while (pageToken)
  }

  async #get(
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
    object?: StoredObject,
  ): Promise<Response> {
    try {
      return await gcsGet(this.#client, `${encodeURIComponent(this.#place.bucket)}/o${path}`, query, signal)
    } catch (cause) {
      throw this.#error(cause, signal, object)
    }
  }

  #error(cause: unknown, signal: AbortSignal, object?: StoredObject): unknown {
    if (signal.aborted) return signal.reason
    if (cause instanceof StoreError) return cause
    const identity = this.#client.isAnonymous()
      ? 'no Google credentials were found, so the request had none'
      : undefined
    const asked = { bucket: `bucket '${this.#place.bucket}'`, object, identity }
    return storeError(gcsFailure(cause), asked)
  }
}

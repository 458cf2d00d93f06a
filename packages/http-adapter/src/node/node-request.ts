import type { IncomingMessage } from 'node:http'
import type { BodyLimit, UniversalRequest } from '../universal.ts'
import { BodyReader, declaredSize } from './body-reader.ts'

/** What somebody else has read of a request already: its body, or why that is lost. */
export type SuppliedBody = Uint8Array | Error

/** A request of node:http. */
export class NodeRequest implements UniversalRequest {
  readonly path: string
  readonly signal: AbortSignal
  readonly #request: IncomingMessage
  readonly #supplied: SuppliedBody | undefined
  #reader: BodyReader | undefined

  constructor(request: IncomingMessage, path: string, signal: AbortSignal, supplied: SuppliedBody | undefined) {
    this.#request = request
    this.path = path
    this.signal = signal
    this.#supplied = supplied
  }

  get method(): string {
    return this.#request.method as string
  }

  get peer(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  header(name: string): string | undefined {
    // A body that somebody else has read is decompressed; body parsers refuse what they cannot decompress.
    if (name === 'content-encoding' && this.#supplied !== undefined) return undefined
    return this.#request.headers[name] as string | undefined
  }

  *headers(): Iterable<readonly [name: string, value: string]> {
    const { rawHeaders } = this.#request
    for (let i = 0; i < rawHeaders.length; i += 2) yield [rawHeaders[i] as string, rawHeaders[i + 1] as string]
  }

  get contentLength(): number | undefined {
    return this.#supplied instanceof Uint8Array ? this.#supplied.byteLength : declaredSize(this.#request)
  }

  body(limit: BodyLimit): Promise<Uint8Array> {
    const supplied = this.#supplied
    if (supplied === undefined) {
      this.#reader = new BodyReader(this.#request)
      return this.#reader.read(limit)
    }
    if (supplied instanceof Error) return Promise.reject(supplied)
    return supplied.byteLength > limit.maxBytes
      ? Promise.reject(limit.tooLarge(supplied.byteLength))
      : Promise.resolve(supplied)
  }

  /** Whether the connection is to be closed instead of reading the rest of the body. */
  get mustClose(): boolean {
    return this.#reader?.tooManyChunks ?? false
  }
}

/** The path of a request target, without query; an absolute target loses its scheme and host. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return path.charCodeAt(0) === 0x2f ? path : path.replace(/^[a-z]+:\/\/[^/]*/i, '')
}

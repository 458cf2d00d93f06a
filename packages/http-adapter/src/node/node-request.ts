import type { IncomingMessage } from 'node:http'
import type { BodyLimit, UniversalRequest } from '../universal.ts'
import { declaredSize, readBody, TooManyChunks } from './read-body.ts'

/** What somebody else has read of a request already: its body, or why that is lost. */
export type SuppliedBody = Uint8Array | Error

/** A request of node:http. */
export class NodeRequest implements UniversalRequest {
  readonly path: string
  readonly signal: AbortSignal
  /** The rest of the body is not worth reading. */
  mustClose = false
  readonly #request: IncomingMessage
  readonly #supplied: SuppliedBody | undefined

  constructor(request: IncomingMessage, path: string, signal: AbortSignal, supplied: SuppliedBody | undefined) {
    this.#request = request
    this.path = path
    this.signal = signal
    this.#supplied = supplied
  }

  get method(): string {
    return this.#request.method as string
  }

  header(name: string): string | undefined {
    return this.#request.headers[name] as string | undefined
  }

  *headers(): Iterable<readonly [name: string, value: string]> {
    const { rawHeaders } = this.#request
    for (let i = 0; i < rawHeaders.length; i += 2) yield [rawHeaders[i] as string, rawHeaders[i + 1] as string]
  }

  get contentLength(): number | undefined {
    return this.#supplied instanceof Uint8Array ? this.#supplied.byteLength : declaredSize(this.#request)
  }

  async body(limit: BodyLimit): Promise<Uint8Array> {
    const supplied = this.#supplied
    if (supplied instanceof Error) throw supplied
    if (supplied === undefined) {
      try {
        return await readBody(this.#request, limit)
      } catch (error) {
        this.mustClose = error instanceof TooManyChunks
        throw error
      }
    }
    if (supplied.byteLength > limit.maxBytes) throw limit.tooLarge(supplied.byteLength)
    return supplied
  }
}

/** The path of a request target, without query; an absolute target loses its scheme and host. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return path.charCodeAt(0) === 0x2f ? path : path.replace(/^[a-z]+:\/\/[^/]*/i, '')
}

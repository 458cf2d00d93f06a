import { TritonError } from '@triton-ts/core'

/** A limit on a body, and the error that tells of it. */
export interface BodyLimit {
  readonly maxBytes: number
  /** @param size bytes that are known of, at least. */
  tooLarge(size: number): Error
}

/** A request as every entry (node:http, Express, Fastify, fetch) presents it. */
export interface UniversalRequest {
  readonly method: string
  /** The path as it was sent, without query and without percent-decoding, from `/v2` on. */
  readonly path: string
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined
  /** All headers, with their names as they were sent where that is known. */
  headers(): Iterable<readonly [name: string, value: string]>
  /** The declared size of the body; undefined for one of unknown size. */
  readonly contentLength: number | undefined
  /** The whole body, as one view without spare copies. Called at most once. */
  body(limit: BodyLimit): Promise<Uint8Array>
  /** The address of the other side, which may be a proxy; undefined where the runtime does not tell. */
  readonly peer: string | undefined
  /** Aborted when the client is gone. May outlive the request. */
  readonly signal: AbortSignal | undefined
}

/** Bytes to send. A string has one character for each byte (Latin-1), so that small answers are written in one piece. */
export type Body = string | readonly Uint8Array[]

/**
 * A body of unknown size, part by part; it never rejects. The entry asks for a part when the client has taken those
 * before, so that whoever makes them can wait for it. Leaving it ends the work behind it, also while a part is waited for.
 */
export type BodyStream = AsyncIterableIterator<Body, undefined>

interface ResponseHead {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  /** Hears how the answer leaves. Default: nobody does. */
  readonly delivery?: Delivery | undefined
}

/** How an answer leaves, of which the entry tells. */
export interface Delivery {
  /** Its first bytes leave. */
  begin(): void
  /** It has left, or will not leave. Called once. */
  end(): void
}

/** An answer that is there as a whole. `Content-Length` is added by the entry. */
export interface WholeResponse extends ResponseHead {
  readonly body: Body
}

/** An answer that is sent as it comes. */
export interface StreamedResponse extends ResponseHead {
  readonly body: BodyStream
}

export type UniversalResponse = WholeResponse | StreamedResponse

export const isStreamed = (response: UniversalResponse): response is StreamedResponse =>
  typeof response.body !== 'string' && Symbol.asyncIterator in response.body

/** Answers any request; it never rejects. */
export type UniversalHandler = (request: UniversalRequest) => Promise<UniversalResponse>

export type ContentType = 'application/json' | 'text/plain' | 'text/plain; charset=utf-8' | 'application/octet-stream'

/** Why a body did not come to its end. */
export const clientGone = (cause?: unknown): TritonError =>
  new TritonError('CANCELLED', 'the client closed the connection', { cause })

/** JSON or plain text as a response. */
export function textResponse(status: number, contentType: ContentType, text: string): WholeResponse {
  return { status, headers: ['Content-Type', contentType], body: textBody(text) }
}

/** Text as a body: as it is where characters are bytes, else as UTF-8. */
export function textBody(text: string): Body {
  return Buffer.byteLength(text) === text.length ? text : [Buffer.from(text)]
}

export function bodySize(body: Body): number {
  if (typeof body === 'string') return body.length
  let size = 0
  for (const part of body) size += part.byteLength
  return size
}

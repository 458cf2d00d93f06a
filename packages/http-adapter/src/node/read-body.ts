import type { IncomingMessage } from 'node:http'
import { TritonError } from '@triton-ts/core'
import type { BodyLimit } from '../universal.ts'

/** Triton's bound on what chunks cost it. */
const maxChunks = 65536

/** A chunk that arrives in several reads is seen as several, so many are only too many when they are small too. */
const smallChunk = 1024

const nothing = Buffer.alloc(0)

/** A body of known size up to this is gathered in memory of that size; more is only trusted as it comes. */
const trustedSize = 256 * 1024 * 1024

/** A body in more chunks than allowed; the connection is not worth keeping. */
export class TooManyChunks extends TritonError {
  constructor() {
    super(
      'INVALID_ARG',
      `Chunked request body exceeds maximum of ${maxChunks} non-empty chunks. Send fewer or larger HTTP chunks.`,
    )
  }
}

/** The declared size of a request's body; undefined where it comes in chunks. */
export function declaredSize({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

/**
 * The whole body. One that arrives in one piece is not copied, any other is copied once.
 * @throws TritonError (as a rejection) for a body beyond the limit, of too many chunks, or cut short.
 */
export function readBody(request: IncomingMessage, limit: BodyLimit): Promise<Uint8Array> {
  const declared = declaredSize(request)
  if (declared === 0) return Promise.resolve(nothing)
  if (declared !== undefined && declared > limit.maxBytes) return Promise.reject(limit.tooLarge(declared))
  return new Promise((resolve, reject) => {
    const collector = new Collector(declared)
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    }
    const fail = (error: Error): void => {
      stop()
      request.resume()
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      collector.add(chunk)
      if (collector.size === declared) onEnd()
      else if (collector.size > limit.maxBytes) fail(limit.tooLarge(collector.size))
      else if (declared === undefined && collector.hasTooManyChunks) fail(new TooManyChunks())
    }
    const onEnd = (): void => {
      stop()
      request.resume()
      resolve(collector.finish())
    }
    const onClose = (): void => fail(new TritonError('CANCELLED', 'the client closed the connection'))
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

/** Gathers the pieces of a body. */
class Collector {
  size = 0
  #count = 0
  readonly #declared: number | undefined
  #first: Buffer | undefined
  #whole: Buffer | undefined
  #chunks: Buffer[] | undefined

  constructor(declared: number | undefined) {
    this.#declared = declared !== undefined && declared <= trustedSize ? declared : undefined
  }

  add(chunk: Buffer): void {
    this.#count++
    if (this.size === 0) this.#first = chunk
    else if (this.#declared === undefined) {
      this.#chunks ??= [this.#first as Buffer]
      this.#chunks.push(chunk)
    } else {
      if (this.#whole === undefined) {
        this.#whole = Buffer.allocUnsafeSlow(this.#declared)
        this.#whole.set(this.#first as Buffer)
      }
      this.#whole.set(chunk, this.size)
    }
    this.size += chunk.byteLength
  }

  get hasTooManyChunks(): boolean {
    return this.#count > maxChunks && this.size < this.#count * smallChunk
  }

  finish(): Buffer {
    if (this.#chunks !== undefined) return Buffer.concat(this.#chunks, this.size)
    return this.#whole ?? this.#first ?? nothing
  }
}

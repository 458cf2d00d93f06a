import type { IncomingMessage } from 'node:http'
import { TritonError } from '@triton-ts/core'
import { type BodyLimit, clientGone } from '../universal.ts'

/** Triton's bound on what chunks cost it. */
const maxChunks = 65536

/** A chunk that arrives in several reads is seen as several, so many are only too many when they are small too. */
const smallChunk = 1024

/** A body of known size up to this is gathered in memory of that size; more is only trusted as it comes. */
const trustedSize = 256 * 1024 * 1024

const nothing = Buffer.alloc(0)

/** The declared size of a request's body; undefined where that is not said. */
export function declaredSize({ headers, httpVersionMajor }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  const length = headers['content-length']
  // HTTP/2 needs neither header in front of a body.
  return length === undefined && httpVersionMajor >= 2 ? undefined : Number(length ?? 0)
}

/** Memory whose bytes from `headerLength` on are aligned, so that typed arrays can be views of binary tensors there. */
function alignedBuffer(size: number, headerLength: number): Buffer {
  const offset = headerLength > 0 ? 7 - ((headerLength + 7) % 8) : 0
  return Buffer.allocUnsafeSlow(size + offset).subarray(offset)
}

/** Reads a body. One that arrives in one piece is not copied, any other is copied once. */
export class BodyReader {
  /** The body came in more chunks than allowed; the connection is not worth keeping. */
  tooManyChunks = false
  readonly #request: IncomingMessage
  readonly #declared: number | undefined
  #limit: BodyLimit | undefined
  #size = 0
  #count = 0
  #first: Buffer | undefined
  #whole: Buffer | undefined
  #chunks: Buffer[] | undefined
  #settled = false
  #resolve!: (body: Uint8Array) => void
  #reject!: (error: Error) => void

  constructor(request: IncomingMessage) {
    this.#request = request
    this.#declared = declaredSize(request)
  }

  /** @throws TritonError (as a rejection) for a body beyond the limit, of too many chunks, or cut short. */
  read(limit: BodyLimit): Promise<Uint8Array> {
    const declared = this.#declared
    if (declared === 0) return Promise.resolve(nothing)
    if (this.#request.destroyed) return Promise.reject(clientGone())
    if (declared !== undefined && declared > limit.maxBytes) return Promise.reject(limit.tooLarge(declared))
    this.#limit = limit
    const body = new Promise<Uint8Array>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // The request ends with its body, so the listeners are left on it; what comes after an error is dropped.
    this.#request
      .on('data', (chunk: Buffer) => this.#add(chunk))
      .on('end', () => this.#finish())
      .on('close', () => this.#close())
    return body
  }

  #add(chunk: Buffer): void {
    if (this.#settled) return
    this.#keep(chunk)
    this.#size += chunk.byteLength
    this.#count++
    const limit = this.#limit as BodyLimit
    if (this.#size === this.#declared) this.#finish()
    else if (this.#size > limit.maxBytes) this.#fail(limit.tooLarge(this.#size))
    else if (this.#declared === undefined && this.#hasTooManyChunks) {
      this.tooManyChunks = true
      const text = `Chunked request body exceeds maximum of ${maxChunks} non-empty chunks. Send fewer or larger HTTP chunks.`
      this.#fail(new TritonError('INVALID_ARG', text))
    }
  }

  #keep(chunk: Buffer): void {
    const declared = this.#declared
    if (this.#size === 0) this.#first = chunk
    else if (declared === undefined || declared > trustedSize) {
      this.#chunks ??= [this.#first as Buffer]
      this.#chunks.push(chunk)
    } else {
      if (this.#whole === undefined) {
        this.#whole = alignedBuffer(declared, Number(this.#request.headers['inference-header-content-length']))
        this.#whole.set(this.#first as Buffer)
      }
      this.#whole.set(chunk, this.#size)
    }
  }

  get #hasTooManyChunks(): boolean {
    return this.#count > maxChunks && this.#size < this.#count * smallChunk
  }

  #finish(): void {
    if (this.#settled) return
    this.#settled = true
    this.#resolve(this.#chunks === undefined ? (this.#whole ?? this.#first ?? nothing) : Buffer.concat(this.#chunks))
    this.#release()
  }

  /** Every request is closed some time, most of them long after their body. */
  #close(): void {
    if (!this.#settled) this.#fail(clientGone())
  }

  #fail(error: Error): void {
    if (this.#settled) return
    this.#settled = true
    this.#reject(error)
    this.#release()
  }

  #release(): void {
    this.#first = undefined
    this.#whole = undefined
    this.#chunks = undefined
  }
}

import { type Server, TritonError } from '@triton-ts/core'
import { createHandler } from './handler.ts'
import type { HttpOptions } from './http-options.ts'
import {
  type Body,
  type BodyLimit,
  type BodyStream,
  bodySize,
  clientGone,
  type Delivery,
  isStreamed,
  type UniversalHandler,
  type UniversalRequest,
} from './universal.ts'

export type { HttpOptions } from './http-options.ts'

/**
 * Triton's HTTP protocol as a function from `Request` to `Response`: a Next.js route, Hono, Bun, Deno, Lambda. It
 * answers every path that contains `/v2`, wherever it is mounted.
 * @throws TritonError INVALID_ARG for options that make no sense.
 */
export function fetchHandler(server: Server, options: HttpOptions = {}): (request: Request) => Promise<Response> {
  const handler = createHandler(server, options)
  return answerer(handler, (path) => path.slice(Math.max(0, path.search(/\/v2(?:\/|$)/))))
}

/**
 * Any handler as a function from `Request` to `Response`: `fetchMounted(createDashboard(server), '/live')`.
 * @param base what paths begin with, which the handler does not see; '' for nothing.
 */
export function fetchMounted(handler: UniversalHandler, base: string): (request: Request) => Promise<Response> {
  return answerer(handler, (path) => (path.startsWith(base) ? path.slice(base.length) || '/' : path))
}

/** @param below the part of a path that the handler sees. */
function answerer(handler: UniversalHandler, below: (path: string) => string): (request: Request) => Promise<Response> {
  return async (request) => {
    const path = below(new URL(request.url).pathname)
    const response = await handler(new FetchRequest(request, path))
    const { status, headers, delivery } = response
    delivery?.begin()
    const fields: [string, string][] = []
    for (let i = 0; i < headers.length; i += 2) fields.push([headers[i] as string, headers[i + 1] as string])
    if (isStreamed(response)) {
      return new Response(pulledFrom(response.body, delivery), { status, headers: fields })
    }
    // What becomes of it is the runtime's.
    delivery?.end()
    const { body } = response
    fields.push(['Content-Length', String(bodySize(body))])
    const content = typeof body === 'string' ? bytesOf(body) : streamOf(body)
    return new Response(content, { status, headers: fields })
  }
}

function bytesOf(body: Body): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.concat(body)
}

/** Takes a part whenever the reader wants one; a reader that leaves ends the work. */
function pulledFrom(parts: BodyStream, delivery: Delivery | undefined): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (!done) controller.enqueue(bytesOf(value))
        else {
          delivery?.end()
          controller.close()
        }
      },
      async cancel() {
        delivery?.end()
        await parts.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** A `Response` over bytes would copy them. */
function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

class FetchRequest implements UniversalRequest {
  readonly path: string
  readonly #request: Request

  constructor(request: Request, path: string) {
    this.#request = request
    this.path = path
  }

  get method(): string {
    return this.#request.method
  }

  get peer(): undefined {
    return undefined
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get contentLength(): number | undefined {
    if (this.#request.body === null) return 0
    const length = this.#request.headers.get('content-length')
    return length === null ? undefined : Number(length)
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    return this.#request.headers.entries()
  }

  async body(limit: BodyLimit): Promise<Uint8Array> {
    const { contentLength = 0 } = this
    if (contentLength > limit.maxBytes) throw limit.tooLarge(contentLength)
    if (this.#request.bodyUsed) throw new TritonError('INTERNAL', 'the request body was read before fetchHandler()')
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.#chunks()) {
      size += chunk.byteLength
      if (size > limit.maxBytes) throw limit.tooLarge(size)
      chunks.push(chunk)
    }
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size)
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#request.body ?? []
    } catch (error) {
      throw clientGone(error)
    }
  }
}

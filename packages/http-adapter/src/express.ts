import type { Server } from '@triton-ts/core'
import { TritonError } from '@triton-ts/core'
import type { Request, RequestHandler } from 'express'
import { createHandler } from './handler.ts'
import type { HttpOptions } from './http-options.ts'
import { NodeAdapter } from './node/node-adapter.ts'
import { pathOf, type SuppliedBody } from './node/node-request.ts'
import type { UniversalHandler } from './universal.ts'

export type { HttpOptions } from './http-options.ts'

/**
 * Triton's HTTP protocol as Express middleware: `app.use('/v2', kserve(server))`, or without a path, or below any other
 * (`app.use('/ai', kserve(server))` answers `/ai/v2/...`). Mount it before body parsers: it reads bodies itself. Where a
 * parser was there first, what it left in `req.rawBody` or `req.body` is used; of a body that is parsed JSON, integers
 * beyond 2^53 are no longer exact.
 * @throws TritonError INVALID_ARG for options that make no sense.
 */
export function kserve(server: Server, options: HttpOptions = {}): RequestHandler {
  const adapter = new NodeAdapter(createHandler(server, options))
  return (request, response, next) => {
    const path = pathBelowMount(request)
    if (path === '/v2' || path.startsWith('/v2/')) void adapter.handle(request, response, path, suppliedBody(request))
    else next()
  }
}

/**
 * Any handler as Express middleware: `app.use('/live', mounted(createDashboard(server)))`. It answers everything below
 * its path, and does not see that. For bodies, see `kserve`.
 */
export function mounted(handler: UniversalHandler): RequestHandler {
  const adapter = new NodeAdapter(handler)
  return (request, response) => {
    void adapter.handle(request, response, pathOf(request.url), suppliedBody(request))
  }
}

/** The path from `/v2` on, wherever the middleware is mounted. */
function pathBelowMount({ baseUrl, originalUrl }: Request): string {
  const mount = baseUrl.endsWith('/v2') ? baseUrl.length - '/v2'.length : baseUrl.length
  return pathOf(originalUrl).slice(mount)
}

/** The body as far as a parser has taken it from the stream. */
function suppliedBody(request: Request & { readonly rawBody?: unknown }): SuppliedBody | undefined {
  if (!request.readableDidRead) return undefined
  const { rawBody, body } = request
  for (const candidate of [rawBody, body] as unknown[]) {
    if (candidate instanceof Uint8Array) return candidate
    if (typeof candidate === 'string') return Buffer.from(candidate)
  }
  // Parsed JSON is written again, unless binary tensors came behind it.
  const isJson = typeof body === 'object' && body !== null && !request.is('urlencoded')
  if (isJson && request.headers['inference-header-content-length'] === undefined) {
    return Buffer.from(JSON.stringify(body))
  }
  return new TritonError(
    'INTERNAL',
    'the request body was read before kserve(); mount it before body parsers, or keep the bytes in req.rawBody',
  )
}

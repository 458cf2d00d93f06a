import type { Server } from '@triton-ts/core'
import type { FastifyPluginAsync } from 'fastify'
import { createHandler } from './handler.ts'
import type { HttpOptions } from './http-options.ts'
import { NodeAdapter } from './node/node-adapter.ts'
import { pathOf } from './node/node-request.ts'

export type { HttpOptions } from './http-options.ts'

/** Options of the plugin; Fastify's own `prefix` is understood as well. */
export interface KserveOptions extends HttpOptions {
  readonly server: Server
}

/**
 * Triton's HTTP protocol as a Fastify plugin: `fastify.register(kserve, { server })`. Its routes begin at `/v2`, below
 * the `prefix` if there is one. Bodies stay streams inside the plugin, whatever parsers the application has.
 */
export const kserve: FastifyPluginAsync<KserveOptions> = async (fastify, options) => {
  const adapter = new NodeAdapter(createHandler(options.server, options))
  // Segments are counted, since one of the prefix may be a parameter.
  const depth = fastify.prefix.split('/').filter((segment) => segment !== '').length
  const mount = new RegExp(`^(?:/[^/]+){${depth}}`)
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _body, done) => done(null))
  for (const url of ['/v2', '/v2/*']) {
    fastify.all(url, async ({ raw }, reply) => {
      // What hooks have set, CORS headers for instance, would stay behind.
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '')
      reply.hijack()
      await adapter.handle(raw, reply.raw, pathOf(raw.url ?? '').replace(mount, ''))
    })
  }
}

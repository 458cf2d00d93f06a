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
  const { length } = fastify.prefix
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _body, done) => done(null))
  for (const url of ['/v2', '/v2/*']) {
    fastify.all(url, async (request, reply) => {
      reply.hijack()
      await adapter.handle(request.raw, reply.raw, pathOf(request.raw.url ?? '').slice(length))
    })
  }
}

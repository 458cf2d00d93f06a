import { TritonError } from '@triton-ts/core'
import { errorText } from './http-status.ts'
import type { Route, RouteContext } from './route.ts'

/** Trace settings; for a model that is ready answered as a Triton that is built without tracing answers. */
export function traceRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2(?:\/models\/(?<model>[^/]+))?\/trace\/setting$/,
    methods: ['GET', 'POST'],
    api: 'trace',
    contentType: 'application/json',
    async handle(_, { model }) {
      if (model !== undefined && !(await server.model(model).isReady())) {
        throw new TritonError('INVALID_ARG', `Request for unknown model : ${model}`)
      }
      throw new TritonError('UNAVAILABLE', 'the server does not support tracing')
    },
  }
}

/** Log settings; answered as a Triton that is built without logging answers. */
export const loggingRoute: Route = {
  pattern: /^\/v2\/logging$/,
  methods: ['GET', 'POST'],
  api: 'logging',
  contentType: 'application/json',
  handle: () => {
    throw new TritonError('UNAVAILABLE', 'the server does not support dynamic logging')
  },
}

/** Shared memory: restricted like the real endpoints, and otherwise not there. */
export const sharedMemoryRoute: Route = {
  pattern: /^\/v2\/(?:system|cuda)sharedmemory(?:\/region\/[^/]+)?\/(?:status|register|unregister)$/,
  methods: ['GET', 'POST'],
  api: 'shared-memory',
  contentType: 'text/plain',
  handle: () => errorText(404, 'text/plain', 'Not Found'),
}

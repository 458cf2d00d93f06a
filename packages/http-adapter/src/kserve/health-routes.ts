import { TritonError } from '@triton-ts/core'
import { parseVersion } from '@triton-ts/protocol'
import { textResponse, type UniversalResponse } from '../universal.ts'
import { errorText } from './http-status.ts'
import type { Route, RouteContext } from './route.ts'

const empty = (status: number): UniversalResponse => textResponse(status, 'text/plain', '')

/** `GET /v2/health/live` and `/v2/health/ready`: 200 or 400. */
export function serverHealthRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2\/health\/(?<kind>live|ready)$/,
    methods: ['GET'],
    api: 'health',
    contentType: 'text/plain',
    async handle(_, { kind }) {
      if (server.state === 'exiting') throw new TritonError('UNAVAILABLE', 'Server exiting')
      return empty((kind === 'live' ? server.isLive() : await server.isReady()) ? 200 : 400)
    },
  }
}

/** `GET /v2/models/{model}[/versions/{version}]/ready`. */
export function modelReadyRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2\/models\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?\/ready$/,
    methods: ['GET'],
    api: 'health',
    contentType: 'text/plain',
    async handle(_, { model = '', version }) {
      if (server.state === 'exiting') throw new TritonError('UNAVAILABLE', 'Server not ready')
      const ready = await server.model(model, parseVersion(version)).isReady()
      return ready ? empty(200) : errorText(400, 'text/plain', 'Model version not ready')
    },
  }
}

import { modelStatisticsToJson } from '@triton-ts/core'
import { parseVersion } from '@triton-ts/protocol'
import { textResponse, type UniversalResponse } from '../universal.ts'
import type { Route, RouteContext } from './route.ts'

const json = (value: unknown): UniversalResponse => textResponse(200, 'application/json', JSON.stringify(value))

/** `GET /v2`. */
export function serverMetadataRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2$/,
    methods: ['GET'],
    api: 'metadata',
    contentType: 'application/json',
    handle: () => json(server.metadata()),
  }
}

/** `GET /v2/models/{model}[/versions/{version}]`. */
export function modelMetadataRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2\/models\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?$/,
    methods: ['GET'],
    api: 'metadata',
    contentType: 'application/json',
    handle({ signal }, { model: name = '', version }) {
      const model = server.model(name, parseVersion(version))
      return model.whenThere({ signal }, () => json(model.metadata()))
    },
  }
}

/** `GET /v2/models/{model}[/versions/{version}]/config`: the effective configuration. */
export function modelConfigRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2\/models\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?\/config$/,
    methods: ['GET'],
    api: 'model-config',
    contentType: 'application/json',
    handle({ signal }, { model: name = '', version }) {
      const model = server.model(name, parseVersion(version))
      return model.whenThere({ signal }, () => json(model.configJson()))
    },
  }
}

/** `GET /v2/models/stats` (every model) and `GET /v2/models/{model}[/versions/{version}]/stats`. */
export function statisticsRoute({ server }: RouteContext): Route {
  return {
    pattern: /^\/v2\/models(?:\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?)?\/stats$/,
    methods: ['GET'],
    api: 'statistics',
    contentType: 'application/json',
    handle: (_, { model, version }) =>
      json({ model_stats: server.statistics(model, parseVersion(version)).map(modelStatisticsToJson) }),
  }
}

import { TritonError } from '@triton-ts/core'
import type { JsonValue } from '../json/json-value.ts'
import { textResponse, type UniversalResponse } from '../universal.ts'
import { asObject, asString, find } from './json-access.ts'
import { readJson } from './read-json.ts'
import type { Route, RouteContext } from './route.ts'

const done = (): UniversalResponse => textResponse(200, 'application/json', '')

/** `POST /v2/repository[/{repository}]/index`, body `{"ready": true}` or none. The repository is not looked at. */
export function repositoryIndexRoute(context: RouteContext): Route {
  return {
    pattern: /^\/v2\/repository(?:\/[^/]+)?\/index$/,
    methods: ['POST'],
    api: 'model-repository',
    contentType: 'application/json',
    async handle(request) {
      const ready = await readJson(context, request, (document) => find(document, 'ready') ?? false)
      if (typeof ready !== 'boolean') {
        throw new TritonError('INVALID_ARG', "Invalid value for 'ready': expected a boolean")
      }
      return textResponse(200, 'application/json', JSON.stringify(await context.server.index({ ready })))
    },
  }
}

interface LoadParameters {
  config?: string
  files?: Record<string, Uint8Array>
}

/** `POST /v2/repository/models/{model}/load` and `/unload`. */
export function repositoryControlRoute(context: RouteContext): Route {
  const { server, options } = context
  return {
    pattern: /^\/v2\/repository(?:\/(?<repository>[^/]+))?\/models\/(?<model>[^/]+)\/(?<action>load|unload)$/,
    methods: ['POST'],
    api: 'model-repository',
    contentType: 'application/json',
    async handle(request, { repository, model = '', action }) {
      if (!options.repositoryControl) {
        throw new TritonError('UNSUPPORTED', 'model load and unload over HTTP are switched off')
      }
      if (repository !== undefined) {
        throw new TritonError('UNSUPPORTED', "'repository_name' specification is not supported")
      }
      if (action === 'load') {
        await server.load(model, await readJson(context, request, readLoadParameters))
      } else {
        await server.unload(model, { unloadDependents: await readJson(context, request, readUnloadDependents) })
      }
      return done()
    },
  }
}

/** What is no boolean counts as false, as in Triton. */
const readUnloadDependents = (document: JsonValue | undefined): boolean =>
  find(find(document, 'parameters'), 'unload_dependents') === true

function readLoadParameters(document: JsonValue | undefined): LoadParameters {
  const parameters = find(document, 'parameters')
  const load: LoadParameters = {}
  if (parameters === undefined) return load
  const { keys, values } = asObject(parameters, '')
  keys.forEach((key, i) => {
    const value = asString(values[i] as JsonValue, '')
    if (key === 'config') load.config ??= value
    else if (key.startsWith('file:')) {
      load.files ??= Object.create(null) as Record<string, Uint8Array>
      load.files[key.slice('file:'.length)] ??= Buffer.from(value, 'base64')
    } else throw new TritonError('INTERNAL', 'unexpected error on creating Triton parameter')
  })
  return load
}

import { type Server, TritonError } from '@triton-ts/core'
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from './http-options.ts'
import { JsonParser } from './json/json-parser.ts'
import { errorResponse, errorText } from './kserve/http-status.ts'
import type { Route, RouteParameters } from './kserve/route.ts'
import { createRoutes } from './kserve/routes.ts'
import type { UniversalHandler, UniversalRequest, UniversalResponse } from './universal.ts'

/** Paths whose route is remembered. */
const rememberedPaths = 1000

interface Target {
  readonly route: Route
  readonly parameters: RouteParameters
}

/**
 * The protocol as a function from request to response, which every entry puts to its own kind of server.
 * @throws TritonError INVALID_ARG for options that make no sense.
 */
export function createHandler(server: Server, options: HttpOptions = {}): UniversalHandler {
  const resolved = resolveHttpOptions(options)
  const routes = createRoutes({ server, options: resolved, parser: new JsonParser() })
  const targets = new Map<string, Target>()

  const findTarget = (path: string): Target | undefined => {
    const known = targets.get(path)
    if (known !== undefined) return known
    for (const route of routes) {
      const match = route.pattern.exec(path)
      if (match === null) continue
      const target = { route, parameters: decodedIds(match.groups) }
      if (targets.size >= rememberedPaths) targets.clear()
      targets.set(path, target)
      return target
    }
    return undefined
  }

  return async (request) => {
    const target = findTarget(request.path)
    if (target === undefined) return errorText(404, 'text/plain', 'Not Found')
    const { route, parameters } = target
    try {
      return restricted(route, request, resolved) ?? (await route.handle(request, parameters))
    } catch (error) {
      return failure(error, route, resolved)
    }
  }
}

/**
 * Names stay as they are written, as in Triton; only an id of a model, `<repository>::<name>`, may need to be encoded.
 */
function decodedIds({ model, ...others }: RouteParameters = {}): RouteParameters {
  if (model === undefined) return others
  try {
    const decoded = decodeURIComponent(model)
    return { ...others, model: decoded.includes('::') ? decoded : model }
  } catch {
    return { ...others, model }
  }
}

/** The refusal of a request that lacks the header of a restricted API or has the wrong method. */
function restricted(
  { api, methods, contentType }: Route,
  request: UniversalRequest,
  { restrictions }: ResolvedHttpOptions,
): UniversalResponse | undefined {
  const restriction = restrictions.get(api)
  if (restriction !== undefined && request.header(restriction.key.toLowerCase()) !== restriction.value) {
    return errorText(403, 'text/plain', `This API is restricted, expecting header '${restriction.key}'`)
  }
  if ((methods as readonly string[]).includes(request.method)) return undefined
  return errorText(405, contentType, 'Method Not Allowed')
}

function failure(error: unknown, route: Route, { logger }: ResolvedHttpOptions): UniversalResponse {
  if (error instanceof TritonError) return errorResponse(error, route.contentType)
  logger.error({ error }, 'request failed unexpectedly')
  return errorText(500, route.contentType, 'internal error')
}

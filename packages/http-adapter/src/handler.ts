import { type Server, TritonError } from '@triton-ts/core'
import { refusalOf } from './access-refusal.ts'
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from './http-options.ts'
import { JsonParser } from './json/json-parser.ts'
import { errorResponse, errorText } from './kserve/http-status.ts'
import type { Route, RouteParameters } from './kserve/route.ts'
import { createRoutes } from './kserve/routes.ts'
import type { UniversalHandler, UniversalResponse } from './universal.ts'

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
  const resolved = resolveHttpOptions(options, server.logger)
  const routes = createRoutes({ server, options: resolved, parser: new JsonParser() })
  const { access, maxRequests } = resolved
  const { logger } = server
  const targets = new Map<string, Target>()
  let inWork = 0

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
    if (logger.settings.logVerboseLevel > 0) {
      logger.debug({ module: 'http' }, `HTTP request: ${request.method} ${request.path}`)
    }
    const target = findTarget(request.path)
    if (target === undefined) return errorText(404, 'text/plain', 'Not Found')
    const { route, parameters } = target
    if (inWork >= maxRequests && route.api !== 'health') return tooManyRequests(maxRequests)
    inWork++
    try {
      if (access.guards(route.api)) {
        const refusal = await refusalOf(access, route.api, request)
        if (refusal !== undefined) return refusal
      }
      if (!(route.methods as readonly string[]).includes(request.method)) {
        return errorText(405, route.contentType, 'Method Not Allowed')
      }
      return await route.handle(request, parameters)
    } catch (error) {
      return failure(error, route, resolved)
    } finally {
      inWork--
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

function tooManyRequests(most: number): UniversalResponse {
  const text = `the server works on ${most} requests, the most that it takes at a time; try again later`
  const { status, headers, body } = errorText(503, 'application/json', text)
  return { status, headers: [...headers, 'Retry-After', '1'], body }
}

function failure(error: unknown, route: Route, { logger }: ResolvedHttpOptions): UniversalResponse {
  if (error instanceof TritonError) return errorResponse(error, route.contentType)
  logger.error({ module: 'http', err: error }, 'request failed unexpectedly')
  return errorText(500, route.contentType, 'internal error')
}

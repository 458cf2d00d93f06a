import { performance } from 'node:perf_hooks'
import { type Server, TritonError } from '@triton-ts/core'
import {
  createHandler,
  errorResponse,
  errorText,
  type HttpOptions,
  refusalOf,
  textResponse,
  type UniversalHandler,
  type UniversalResponse,
} from '@triton-ts/http-adapter'
import { Access } from '@triton-ts/protocol'
import { LiveData } from './live-data.ts'
import { pageResponse, securityHeaders } from './page-response.ts'
import { foreignRequest } from './request-origin.ts'

/** The settings of the protocol hold for requests of the try-it form. */
export interface DashboardOptions extends Omit<HttpOptions, 'repositoryControl' | 'explain' | 'sharedMemory'> {
  /**
   * Names under which browsers may open the page, besides IP addresses and `localhost`; `triton.example.com` for
   * instance. Default: none, since whoever owns a name can make it point to this machine.
   */
  readonly allowedHosts?: readonly string[] | undefined
}

/** What the page asks of the KServe API. Nothing else of it is served here. */
const usedByPage =
  /^\/v2(?:\/repository\/index|\/models\/[^/]+(?:\/versions\/[0-9]+)?(?:\/(?:config|infer|generate_stream))?)?$/

/**
 * The live page at `/`, what it shows at `/snapshot`, and below `/v2` the part of the KServe API that its try-it form
 * uses. Whoever may open it may run models, so mount it where that is meant. `authorize` is asked for all but the page
 * itself, which holds no data: for `dashboard`, or for the API that a request belongs to.
 *
 * ```ts
 * await using metrics = await serveMetrics(server, { fallback: createDashboard(server) })
 * ```
 * @throws TritonError INVALID_ARG for options that make no sense.
 */
export function createDashboard(server: Server, options: DashboardOptions = {}): UniversalHandler {
  const { allowedHosts = [], logger = server.logger } = options
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const api = createHandler(server, { ...options, repositoryControl: false, sharedMemory: false, explain: true })
  const access = new Access({ authorize: options.authorize, logger })
  const live = new LiveData(server, () => performance.now())
  const page = pageResponse()

  const answer: UniversalHandler = async (request) => {
    const { method, path } = request
    const foreign = foreignRequest(request, hosts)
    if (foreign !== undefined) return failure(403, foreign)
    if (usedByPage.test(path)) return api(request)
    if (path !== '/' && path !== '/snapshot') return failure(404, 'Not Found')
    if (method !== 'GET') return failure(405, 'Method Not Allowed')
    if (path === '/') return page
    const refusal = access.guards('dashboard') ? await refusalOf(access, 'dashboard', request) : undefined
    return refusal ?? textResponse(200, 'application/json', await live.json())
  }

  return async (request) => {
    try {
      const response = await answer(request)
      return response === page ? page : secured(response)
    } catch (error) {
      if (error instanceof TritonError) return secured(errorResponse(error, 'application/json'))
      logger.error({ module: 'dashboard', err: error }, 'the live page could not answer')
      return secured(failure(500, 'internal error'))
    }
  }
}

const failure = (status: number, text: string): UniversalResponse => errorText(status, 'application/json', text)

const secured = (response: UniversalResponse): UniversalResponse => ({
  ...response,
  headers: [...response.headers, ...securityHeaders],
})

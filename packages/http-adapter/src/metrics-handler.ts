import { type Server, TritonError } from '@triton-ts/core'
import { Access, type AccessOptions } from '@triton-ts/protocol'
import { refusalOf } from './access-refusal.ts'
import { errorResponse, errorText } from './kserve/http-status.ts'
import { metricsResponse } from './metrics-response.ts'
import { textResponse, type UniversalHandler } from './universal.ts'

const contentType = 'text/plain; charset=utf-8'

export interface MetricsHandlerOptions extends Pick<AccessOptions, 'authorize' | 'logger'> {
  /** Answers all other paths, and asks for authorization itself. */
  readonly fallback?: UniversalHandler | undefined
}

/**
 * `GET /metrics`: the page of metrics, in the format of Prometheus or, where it is wanted, OpenMetrics. Any other path is
 * an empty page, as with Triton, unless `fallback` answers it.
 */
export function createMetricsHandler(
  server: Server,
  { authorize, logger = server.logger, fallback }: MetricsHandlerOptions = {},
): UniversalHandler {
  const access = new Access({ authorize, logger })
  return async (request) => {
    const { method, path } = request
    const isMetrics = path === '/metrics' || path === '/metrics/'
    if (!isMetrics && fallback !== undefined) return fallback(request)
    if (access.guards('metrics')) {
      const refusal = await refusalOf(access, 'metrics', request)
      if (refusal !== undefined) return refusal
    }
    if (method !== 'GET') return errorText(405, 'text/plain', 'Method Not Allowed')
    if (!isMetrics) return textResponse(200, contentType, '')
    try {
      return await metricsResponse(server, request.header('accept'))
    } catch (error) {
      if (error instanceof TritonError) return errorResponse(error, contentType)
      logger.error({ module: 'metrics', err: error }, 'the metrics could not be written')
      return errorText(500, contentType, 'internal error')
    }
  }
}

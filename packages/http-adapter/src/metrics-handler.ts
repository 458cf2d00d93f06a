import { type Server, TritonError } from '@triton-ts/core'
import { errorResponse, errorText } from './kserve/http-status.ts'
import { textResponse, type UniversalHandler } from './universal.ts'

const contentType = 'text/plain; charset=utf-8'

/** `GET /metrics`: the Prometheus page. Any other path is an empty page, as with Triton. */
export function createMetricsHandler(server: Server): UniversalHandler {
  return async ({ method, path }) => {
    if (method !== 'GET') return errorText(405, 'text/plain', 'Method Not Allowed')
    if (path !== '/metrics' && path !== '/metrics/') return textResponse(200, contentType, '')
    try {
      return textResponse(200, contentType, server.metrics())
    } catch (error) {
      return errorResponse(TritonError.from(error), contentType)
    }
  }
}

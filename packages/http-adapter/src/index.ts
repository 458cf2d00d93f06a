export { type RestrictedApi, type Restriction, restrictedApis } from '@triton-ts/protocol'
export { refusalOf } from './access-refusal.ts'
export { createHandler } from './handler.ts'
export type { HttpOptions } from './http-options.ts'
export { errorResponse, errorText, httpStatus } from './kserve/http-status.ts'
export { createMetricsHandler, type MetricsHandlerOptions } from './metrics-handler.ts'
export {
  type Body,
  type BodyLimit,
  type BodyStream,
  type StreamedResponse,
  textResponse,
  type UniversalHandler,
  type UniversalRequest,
  type UniversalResponse,
  type WholeResponse,
} from './universal.ts'

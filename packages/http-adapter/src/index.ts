export { type RestrictedApi, type Restriction, restrictedApis } from '@triton-ts/protocol'
export { createHandler } from './handler.ts'
export type { HttpOptions } from './http-options.ts'
export { httpStatus } from './kserve/http-status.ts'
export type {
  Body,
  BodyLimit,
  BodyStream,
  StreamedResponse,
  UniversalHandler,
  UniversalRequest,
  UniversalResponse,
  WholeResponse,
} from './universal.ts'

export { Access, type AccessOptions, type AccessRefusal } from './access.ts'
export { accessApis } from './api-key-list.ts'
export { type ApiKeyOptions, apiKeys } from './api-keys.ts'
export type { AccessApi, AccessCall, Authorize } from './authorize.ts'
export { type ClassSource, classSource } from './class-source.ts'
export { classify } from './classification.ts'
export { expectClientSharedMemory } from './client-shared-memory.ts'
export { Endpoint, type EndpointAddress } from './endpoint.ts'
export { forwardHeaders, headerPattern } from './forwarded-header.ts'
export { isLoopback } from './loopback.ts'
export { parseVersion } from './model-version.ts'
export { requestByRegions } from './request-by-regions.ts'
export { RequestMessage } from './request-message.ts'
export { type RegionReference, RequestRegions } from './request-regions.ts'
export { type RestrictedApi, type Restriction, restrictedApis, restrictionsByApi } from './restriction.ts'
export { StringCache } from './string-cache.ts'
export type { Pem, TlsOptions } from './tls-options.ts'
export {
  expectTracedModel,
  fixedTraceFile,
  readTraceLevel,
  readTraceNumber,
  traceSettingTexts,
} from './trace-settings.ts'

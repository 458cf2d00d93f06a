import type { RestrictedApi } from '@triton-ts/protocol'

/** Source: Triton, server/src/grpc/grpc_server.cc, the category of each handler. */
const apis: Readonly<Record<string, RestrictedApi>> = {
  ServerLive: 'health',
  ServerReady: 'health',
  ModelReady: 'health',
  ServerMetadata: 'metadata',
  ModelMetadata: 'metadata',
  ModelConfig: 'model-config',
  ModelStatistics: 'statistics',
  ModelInfer: 'inference',
  ModelStreamInfer: 'inference',
  RepositoryIndex: 'model-repository',
  RepositoryModelLoad: 'model-repository',
  RepositoryModelUnload: 'model-repository',
  SystemSharedMemoryStatus: 'shared-memory',
  SystemSharedMemoryRegister: 'shared-memory',
  SystemSharedMemoryUnregister: 'shared-memory',
  CudaSharedMemoryStatus: 'shared-memory',
  CudaSharedMemoryRegister: 'shared-memory',
  CudaSharedMemoryUnregister: 'shared-memory',
  TraceSetting: 'trace',
  LogSettings: 'logging',
}

const inferenceService = '/inference.GRPCInferenceService/'

/**
 * What the method with that path belongs to where APIs are restricted. Health checks are `health`; reflection, which
 * Triton does not have, is `metadata`.
 */
export function apiOf(path: string): RestrictedApi {
  if (path.startsWith(inferenceService)) return apis[path.slice(inferenceService.length)] ?? 'metadata'
  return path.startsWith('/grpc.health.') ? 'health' : 'metadata'
}

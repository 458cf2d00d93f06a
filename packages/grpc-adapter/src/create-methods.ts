import type { Server } from '@triton-ts/core'
import { healthService } from './health/health-service.ts'
import { ModelInfer } from './infer/model-infer.ts'
import { healthMethods } from './methods/health-methods.ts'
import { logMethod } from './methods/log-method.ts'
import { metadataMethods } from './methods/metadata-methods.ts'
import { repositoryMethods } from './methods/repository-methods.ts'
import { sharedMemoryMethods } from './methods/shared-memory-methods.ts'
import { traceMethod } from './methods/trace-method.ts'
import { reflectionMethods } from './reflection/reflection-methods.ts'
import { createContext } from './service-context.ts'
import type { ServiceOptions } from './service-options.ts'
import { ModelStreamInfer } from './stream/model-stream-infer.ts'
import type { Methods } from './transport/method.ts'

/**
 * Every method of every service over a Server, by path.
 * @throws TritonError INVALID_ARG for options that make no sense.
 */
export function createMethods(server: Server, options: ServiceOptions = {}): Methods {
  const context = createContext(server, options)
  return new Map([
    [ModelInfer.path, new ModelInfer(context)],
    [ModelStreamInfer.path, new ModelStreamInfer(context)],
    ...healthMethods(context),
    ...metadataMethods(context),
    ...repositoryMethods(context),
    ...sharedMemoryMethods(context),
    traceMethod(context),
    logMethod(context),
    ...healthService(context),
    ...(context.reflection ? reflectionMethods(context) : []),
  ])
}

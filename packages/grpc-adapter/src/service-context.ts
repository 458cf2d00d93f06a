import type { Logger, Server } from '@triton-ts/core'
import { headerPattern } from '@triton-ts/protocol'
import { readProtoFiles } from './proto-files.ts'
import { Services } from './schema/services.ts'
import type { ServiceOptions } from './service-options.ts'

export const inferenceService = 'inference.GRPCInferenceService'

/** What every method shares. */
export interface ServiceContext {
  readonly server: Server
  readonly services: Services
  readonly headerForwardPattern: RegExp | undefined
  readonly repositoryControl: boolean
  readonly sharedMemory: boolean
  readonly reflection: boolean
  readonly logger: Logger
}

/** @throws TritonError INVALID_ARG for options that make no sense. */
export function createContext(server: Server, options: ServiceOptions): ServiceContext {
  return {
    server,
    services: new Services(readProtoFiles()),
    headerForwardPattern: headerPattern(options.headerForwardPattern),
    repositoryControl: options.repositoryControl ?? true,
    sharedMemory: options.sharedMemory ?? false,
    reflection: options.reflection ?? true,
    logger: options.logger ?? server.logger,
  }
}

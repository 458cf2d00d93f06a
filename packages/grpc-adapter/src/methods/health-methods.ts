import { type Server, TritonError } from '@triton-ts/core'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'
import { type NamedModel, namedModel } from './named-model.ts'

/** Whether the server and its models can be asked. */
export function healthMethods({ server, services }: ServiceContext): MethodEntry[] {
  return [
    services.unary(inferenceService, 'ServerLive', () => {
      expectNotExiting(server)
      return { live: server.isLive() }
    }),
    services.unary(inferenceService, 'ServerReady', async () => {
      expectNotExiting(server)
      return { ready: await server.isReady() }
    }),
    services.unary<NamedModel>(inferenceService, 'ModelReady', async (request) => {
      const model = namedModel(server, request)
      if (server.state === 'exiting') throw new TritonError('UNAVAILABLE', 'Server not ready')
      return { ready: await model.isReady() }
    }),
  ]
}

/** @throws TritonError UNAVAILABLE from the call of `stop` on. */
export function expectNotExiting(server: Server): void {
  if (server.state === 'exiting') throw new TritonError('UNAVAILABLE', 'Server exiting')
}

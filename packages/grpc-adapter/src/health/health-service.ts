import { expectNotExiting } from '../methods/health-methods.ts'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'
import { HealthWatch } from './health-watch.ts'

const service = 'grpc.health.v1.Health'

/** `grpc.health.v1.Health`. As in Triton the server is asked about, whatever service is named. */
export function healthService({ server, services }: ServiceContext): MethodEntry[] {
  const status = async (): Promise<'SERVING' | 'NOT_SERVING'> => ((await server.isReady()) ? 'SERVING' : 'NOT_SERVING')
  const { path, responses } = services.method(service, 'Watch')
  return [
    services.unary(service, 'Check', async () => {
      expectNotExiting(server)
      return { status: await status() }
    }),
    services.unary(service, 'List', async () => {
      const now = { status: await status() }
      return { statuses: { '': now, [inferenceService]: now } }
    }),
    [path, new HealthWatch(server, status, (status) => responses.encode({ status }))],
  ]
}

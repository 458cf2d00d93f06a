import { modelStatisticsToJson } from '@triton-ts/core'
import { parseVersion } from '@triton-ts/protocol'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'
import { type NamedModel, namedModel } from './named-model.ts'

/** What there is, how it is configured and what it has done. Asking for a model that comes on demand loads it. */
export function metadataMethods({ server, services }: ServiceContext): MethodEntry[] {
  return [
    services.unary(inferenceService, 'ServerMetadata', () => server.metadata()),
    services.unary<NamedModel>(inferenceService, 'ModelMetadata', (request, { signal }) => {
      const model = namedModel(server, request)
      return model.whenThere({ signal }, () => model.metadata())
    }),
    services.unary<NamedModel>(inferenceService, 'ModelConfig', (request, { signal }) => {
      const model = namedModel(server, request)
      return model.whenThere({ signal }, () => ({ config: model.configJson() }))
    }),
    services.unary<NamedModel>(inferenceService, 'ModelStatistics', ({ name, version }) => ({
      model_stats: server.statistics(name, parseVersion(version)).map(modelStatisticsToJson),
    })),
  ]
}

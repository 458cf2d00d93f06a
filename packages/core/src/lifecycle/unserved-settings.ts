import type { BackendModel } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'

/** One sentence for each setting of a model that this version of triton-ts reads and shows but does not act on. */
export function unservedSettings(config: ModelConfig, { servesBatchStrategy = false }: BackendModel): string[] {
  const settings: [boolean, string][] = [
    [
      !servesBatchStrategy && 'TRITON_BATCH_STRATEGY_PATH' in config.parameters,
      'TRITON_BATCH_STRATEGY_PATH: no batching library is loaded',
    ],
  ]
  return settings
    .filter(([isSet]) => isSet)
    .map(([, text]) => `model '${config.name}' sets what this version of triton-ts does not act on: ${text}`)
}

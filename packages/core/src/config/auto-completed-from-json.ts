import type { AutoCompletedConfig } from '../backend/backend.ts'
import { modelConfigFromJson } from './json.ts'

/**
 * The parts that Triton takes from a configuration that a backend, or the code of a model, has completed.
 * @throws ConfigError when the JSON is no configuration.
 */
export function autoCompletedFromJson(json: string): AutoCompletedConfig {
  const { maxBatchSize, input, output, dynamicBatching, sequenceBatching, modelTransactionPolicy } =
    modelConfigFromJson(json)
  return {
    maxBatchSize,
    input,
    output,
    ...(dynamicBatching && { dynamicBatching }),
    ...(sequenceBatching && { sequenceBatching }),
    ...(modelTransactionPolicy && { modelTransactionPolicy }),
  }
}

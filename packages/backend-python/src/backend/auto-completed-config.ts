import { type AutoCompletedConfig, modelConfigFromJson } from '@triton-ts/core/backend'

/**
 * The parts that Triton takes from a configuration that a model has completed.
 * @throws ConfigError when the JSON is no configuration.
 */
export function autoCompletedConfig(json: string): AutoCompletedConfig {
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

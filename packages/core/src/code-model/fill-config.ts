import type { AutoCompletedConfig } from '../backend/backend.ts'
import { modelConfigFromObject } from '../config/json.ts'
import type { ModelConfig, ModelConfigInput } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'

/**
 * What code says of its model, where the configuration leaves it open.
 * @throws ConfigError for what is no configuration, TritonError for another model's.
 */
export function fillConfig(config: ModelConfig, given: ModelConfigInput): AutoCompletedConfig {
  const told = modelConfigFromObject(given)
  if (told.name !== '' && told.name !== config.name) {
    throw new TritonError('INVALID_ARG', `the code of model '${config.name}' is that of a model '${told.name}'`)
  }
  const hasScheduler = config.dynamicBatching ?? config.sequenceBatching ?? config.ensembleScheduling
  return {
    ...(config.maxBatchSize === 0 && { maxBatchSize: told.maxBatchSize }),
    ...(config.input.length === 0 && { input: told.input }),
    ...(config.output.length === 0 && { output: told.output }),
    ...(hasScheduler === undefined && {
      ...(told.dynamicBatching && { dynamicBatching: told.dynamicBatching }),
      ...(told.sequenceBatching && { sequenceBatching: told.sequenceBatching }),
    }),
    ...(config.modelTransactionPolicy === undefined &&
      told.modelTransactionPolicy && { modelTransactionPolicy: told.modelTransactionPolicy }),
  }
}

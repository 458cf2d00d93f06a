import {
  instanceGroup,
  modelMetrics,
  optimizationPolicy,
  repositoryAgents,
  versionPolicy,
} from './schema/deployment.ts'
import { choice, list, map, message, single } from './schema/field.ts'
import { dynamicBatching, ensembleScheduling, sequenceBatching } from './schema/scheduling.ts'
import { batchInput, batchOutput, modelInput, modelOutput, modelWarmup } from './schema/tensors.ts'

/**
 * Triton's `ModelConfig` message as data: names, numbers and types of every field. Text, JSON and objects are read by
 * this table and `/config` is printed by it, so a field is added here and in `ModelConfig` and nowhere else.
 */
export const modelConfigSchema = message('ModelConfig', {
  name: single(1, 'string'),
  platform: single(2, 'string'),
  backend: single(17, 'string'),
  runtime: single(25, 'string'),
  version_policy: single(3, versionPolicy),
  max_batch_size: single(4, 'int32'),
  input: list(5, modelInput),
  output: list(6, modelOutput),
  batch_input: list(20, batchInput),
  batch_output: list(21, batchOutput),
  optimization: single(12, optimizationPolicy),
  dynamic_batching: choice('scheduling_choice', 11, dynamicBatching),
  sequence_batching: choice('scheduling_choice', 13, sequenceBatching),
  ensemble_scheduling: choice('scheduling_choice', 15, ensembleScheduling),
  instance_group: list(7, instanceGroup),
  default_model_filename: single(8, 'string'),
  cc_model_filenames: map(9, 'string', 'string'),
  metric_tags: map(10, 'string', 'string'),
  parameters: map(14, 'string', message('ModelParameter', { string_value: single(1, 'string') })),
  model_warmup: list(16, modelWarmup),
  model_operations: single(18, message('ModelOperations', { op_library_filename: list(1, 'string') })),
  model_transaction_policy: single(19, message('ModelTransactionPolicy', { decoupled: single(1, 'bool') })),
  model_repository_agents: single(23, repositoryAgents),
  response_cache: single(24, message('ModelResponseCache', { enable: single(1, 'bool') })),
  model_metrics: single(26, modelMetrics),
})

import type { AutoCompletedConfig } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { ModelConfig } from './model-config.ts'
import { normalizeModelConfig } from './normalize.ts'
import { modelConfigSchema } from './schema.ts'

type SchedulingChoice = 'dynamicBatching' | 'sequenceBatching' | 'ensembleScheduling'

const choices: readonly SchedulingChoice[] = ['dynamicBatching', 'sequenceBatching', 'ensembleScheduling']

/**
 * Takes over what a backend read from the model file, and normalises the result. A backend may choose a scheduler only
 * where the configuration chose none.
 *
 * @throws TritonError INTERNAL when the backend chose another scheduler than the configuration
 */
export function mergeAutoCompleted(config: ModelConfig, completed: AutoCompletedConfig): ModelConfig {
  const { maxBatchSize, input, output, dynamicBatching, sequenceBatching, modelTransactionPolicy } = completed
  const chosen = choices.find((choice) => config[choice] !== undefined)
  const wanted = dynamicBatching ? 'dynamicBatching' : sequenceBatching && 'sequenceBatching'
  if (chosen && wanted && chosen !== wanted) throw schedulingConflict(chosen)
  return normalizeModelConfig({
    ...config,
    ...(maxBatchSize !== undefined && { maxBatchSize }),
    ...(input && { input }),
    ...(output && { output }),
    ...(!chosen && wanted === 'dynamicBatching' && dynamicBatching && { dynamicBatching }),
    ...(!chosen && wanted === 'sequenceBatching' && sequenceBatching && { sequenceBatching }),
    ...(modelTransactionPolicy && { modelTransactionPolicy }),
  })
}

/** Triton names the choices by their field numbers, and the old one twice. */
function schedulingConflict(chosen: SchedulingChoice): TritonError {
  const number = modelConfigSchema.byKey.get(chosen)?.number
  const message = `Cannot update scheduling choice from ${number} to ${number} when auto-completing.`
  return new TritonError('INTERNAL', message)
}

import type { ConfigProblem } from './config-error.ts'
import type { ModelConfig } from './model-config.ts'
import { checkBatchIo } from './validate/batch-io.ts'
import { checkDynamicBatching } from './validate/dynamic-batching.ts'
import { checkEnsemble } from './validate/ensemble.ts'
import { checkInstanceGroup } from './validate/instance-group.ts'
import { checkMetrics } from './validate/metrics.ts'
import { checkPlatform } from './validate/platform.ts'
import { ProblemList } from './validate/problem-list.ts'
import { checkSequenceBatching } from './validate/sequence-batching.ts'
import { checkSequenceStates } from './validate/sequence-state.ts'
import { checkTensor } from './validate/tensor.ts'

/**
 * Everything that Triton checks of a normalised configuration except inputs, outputs and instance groups. The first
 * problem is the one that Triton reports.
 */
export function validateModelConfig(config: ModelConfig): ConfigProblem[] {
  const { name, maxBatchSize, dynamicBatching, sequenceBatching, ensembleScheduling, modelMetrics } = config
  const list = new ProblemList()
  list.require(name !== '', 'name', "model configuration must specify 'name'")
  checkPlatform(list, config)
  list.require(maxBatchSize >= 0, 'max_batch_size', `'max_batch_size' must be non-negative value for ${name}`)
  list.require(config.versionPolicy !== undefined, 'version_policy', `must specify 'version policy' for ${name}`)
  if (dynamicBatching) checkDynamicBatching(list, config, dynamicBatching)
  if (sequenceBatching) checkSequenceBatching(list, config, sequenceBatching)
  if (ensembleScheduling) checkEnsemble(list, config, ensembleScheduling)
  else if (config.platform === 'ensemble') {
    const message = `ensemble scheduling must be set for ensemble ${name} whose platform is ensemble`
    list.add('ensemble_scheduling', message)
  }
  if (config.modelTransactionPolicy?.decoupled && config.responseCache?.enable) {
    const message =
      `Response Cache does not currently support model ${name} with 'decoupled' transaction policy. ` +
      'Please disable the response cache.'
    list.add('response_cache', message)
  }
  if (modelMetrics) checkMetrics(list, modelMetrics.metricControl)
  return list.problems
}

/** Triton's checks of inputs, outputs and generated inputs and outputs. */
export function validateModelIo(config: ModelConfig): ConfigProblem[] {
  const list = new ProblemList()
  for (const [index, input] of config.input.entries()) checkTensor(list, config, 'input', input, index)
  for (const [index, output] of config.output.entries()) checkTensor(list, config, 'output', output, index)
  checkBatchIo(list, config)
  return list.problems
}

/**
 * Triton's checks of normalised instance groups, as a server with GPU support makes them.
 *
 * @param options.gpus ids of the usable GPUs
 * @param options.minComputeCapability named in an error text. Default 6
 */
export function validateInstanceGroups(
  config: ModelConfig,
  options: { readonly gpus: readonly number[]; readonly minComputeCapability?: number | undefined },
): ConfigProblem[] {
  const list = new ProblemList()
  if (config.ensembleScheduling) return []
  const groups = config.instanceGroup
  const message = `must specify one or more 'instance group's for ${config.name}`
  list.require(groups.length > 0, 'instance_group', message)
  for (const [index, group] of groups.entries()) checkInstanceGroup(list, config, group, index, options)
  return list.problems
}

/** Triton's checks of implicit state, of a configuration with normalised instance groups. */
export function validateSequenceStates(config: ModelConfig): ConfigProblem[] {
  const list = new ProblemList()
  if (config.sequenceBatching) checkSequenceStates(list, config, config.sequenceBatching.state)
  return list.problems
}

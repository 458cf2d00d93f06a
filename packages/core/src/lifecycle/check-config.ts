import { ConfigError, type ConfigProblem } from '../config/config-error.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { type InstanceGroupDefaults, normalizeInstanceGroups } from '../config/normalize-instance-groups.ts'
import { validateInstanceGroups } from '../config/validate.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'

type Locate = ModelDefinition['locate']

/**
 * Fails a load for what is wrong with its configuration.
 * @throws ConfigError with Triton's text alone; where the problems stand in the file is told by the cause.
 */
export function refuse(problems: readonly ConfigProblem[], locate: Locate): void {
  if (problems.length > 0) throw new ConfigError(problems, { cause: new ConfigError(locate(problems)) })
}

/**
 * The configuration with its instance groups filled in and checked.
 * @throws ConfigError
 */
export function groupInstances(config: ModelConfig, defaults: InstanceGroupDefaults, locate: Locate): ModelConfig {
  const grouped = normalizeInstanceGroups(config, defaults)
  refuse(validateInstanceGroups(grouped, { gpus: defaults.gpus }), locate)
  return grouped
}

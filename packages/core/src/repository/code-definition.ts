import { codeBackend } from '../code-model/code-backend.ts'
import { instantiate, type ModelClass, type ModelCode } from '../code-model/model-code.ts'
import { modelError } from '../code-model/model-error.ts'
import { ConfigError, type ConfigProblem } from '../config/config-error.ts'
import { modelConfigFromObject } from '../config/json.ts'
import { normalizeModelConfig } from '../config/normalize.ts'
import { validateModelConfig, validateModelIo } from '../config/validate.ts'
import { TritonError } from '../errors.ts'
import { configOverride, type DefinitionOptions, type ModelDefinition } from './model-definition.ts'

/**
 * A model that is given in code: it has one version, and the files that its configuration names are looked up in the
 * working directory.
 * @throws TritonError, a ConfigError when the configuration is at fault.
 */
export function readCodeDefinition(
  name: string,
  code: ModelCode | ModelClass,
  { config: override, autoComplete }: Omit<DefinitionOptions, 'configName'>,
): ModelDefinition {
  const given = override ?? configOf(name, code)
  const config = typeof given === 'string' ? configOverride(given) : modelConfigFromObject(given)
  if (config.name !== '' && config.name !== name) {
    throw new TritonError('INVALID_ARG', `model '${name}' is given in code with the configuration of '${config.name}'`)
  }
  const complete = normalizeModelConfig({ ...config, name, backend: config.backend || 'javascript' })
  const problems = [...validateModelConfig(complete), ...(autoComplete ? [] : validateModelIo(complete))]
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    id: name,
    name,
    namespace: '',
    directory: process.cwd(),
    backend: codeBackend(code),
    config: complete,
    subdirectories: ['1'],
    notes: complete.modelRepositoryAgents === undefined ? [] : [withoutAgents],
    locate: (found) => found,
  }
}

const withoutAgents: ConfigProblem = {
  path: 'model_repository_agents',
  message: 'no agent is called for a model in code, which has no directory',
}

function configOf(name: string, code: ModelCode | ModelClass): NonNullable<ModelCode['config']> {
  try {
    return instantiate(code).config ?? {}
  } catch (error) {
    throw modelError(error, name, process.cwd())
  }
}

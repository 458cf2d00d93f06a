import type { AutoCompletedConfig } from '../backend/backend.ts'
import { mergeAutoCompleted } from '../config/auto-complete.ts'
import type { CodeHost } from './code-host.ts'
import { fillConfig } from './fill-config.ts'
import { HostContext } from './host-context.ts'
import type { ModelCode } from './model-code.ts'
import { modelError } from './model-error.ts'

/**
 * What the code tells of its model, by `config` first and then `autoCompleteConfig`.
 * @throws TritonError when that fails or is no configuration.
 */
export async function completeCode(code: ModelCode, host: CodeHost): Promise<AutoCompletedConfig> {
  const { config, model, directory } = host
  let completed: AutoCompletedConfig = code.config === undefined ? {} : fillConfig(config, code.config)
  if (code.autoCompleteConfig === undefined) return completed
  const known = mergeAutoCompleted(config, completed)
  try {
    const told = await code.autoCompleteConfig(known, new HostContext({ ...host, config: known }))
    if (told !== undefined) completed = { ...completed, ...fillConfig(known, told) }
  } catch (error) {
    throw modelError(error, model, directory)
  }
  return completed
}

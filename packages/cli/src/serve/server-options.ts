import type { ServerOptions } from '@triton-ts/core'
import type { FlagValues } from '../flags/flags.ts'
import type { ParsedFlags } from '../flags/parse-flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import { backendConfig } from './backend-config.ts'
import { gpuIds } from './gpu-ids.ts'
import { hostPolicies } from './host-policies.ts'
import { rateLimitResources } from './rate-limit-resources.ts'
import { trafficSplits } from './traffic-splits.ts'

/**
 * What the flags say of the engine.
 * @throws UsageError
 */
export function serverOptions({ values, given }: ParsedFlags): ServerOptions {
  return {
    id: values.id,
    modelRepository: modelRepositories(values),
    ...modelControl(values),
    repositoryPollSecs: Math.max(0, values['repository-poll-secs']),
    modelNamespacing: values['model-namespacing'],
    exitOnError: values['exit-on-error'],
    exitTimeout: Math.max(0, values['exit-timeout-secs']),
    strictReadiness: values['strict-readiness'],
    disableAutoComplete: values['disable-auto-complete-config'] || values['strict-model-config'],
    modelConfigName: modelConfigName({ values, given }),
    modelLoadThreadCount: Math.max(1, values['model-load-thread-count']),
    modelLoadRetryCount: Math.max(0, values['model-load-retry-count']),
    backendConfig: backendConfig(values['backend-config']),
    rateLimit: values['rate-limit'],
    rateLimitResources: rateLimitResources(values['rate-limit-resource']),
    hostPolicies: hostPolicies(values['host-policy']),
    trafficSplit: trafficSplits(values['traffic-split']),
    gpus: gpuIds(values.gpus),
  }
}

/** An empty path would be the current directory, which nobody means who writes `--model-repository=$UNSET`. */
function modelRepositories(values: FlagValues): string[] {
  const paths = new Set([...values['model-repository'], ...values['model-store']])
  if (paths.has('')) throw new UsageError("repository path is not a valid directory: ''", 'model-repository')
  return [...paths]
}

function modelControl(values: FlagValues): Pick<ServerOptions, 'modelControl' | 'loadModels' | 'memoryBudget'> {
  const mode = values['model-control-mode']
  const models = [...new Set(values['load-model'])]
  if (models.length > 0 && mode !== 'explicit' && mode !== 'on-demand') {
    throw new UsageError("Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well.")
  }
  if (models.includes('*') && models.length > 1) {
    throw new UsageError("Wildcard model name '*' must be the ONLY startup model if specified at all.", 'load-model')
  }
  const memoryBudget = values['memory-budget']
  if (memoryBudget === '') return { modelControl: mode, loadModels: models }
  if (mode !== 'on-demand') {
    throw new UsageError("Error: Use of '--memory-budget' requires setting '--model-control-mode=on-demand' as well.")
  }
  return { modelControl: mode, loadModels: models, memoryBudget }
}

function modelConfigName({ values, given }: ParsedFlags): string | undefined {
  const name = values['model-config-name']
  if (name !== '') return name
  if (given.has('model-config-name')) {
    throw new UsageError('Error: empty argument for --model-config-name', 'model-config-name')
  }
  return undefined
}

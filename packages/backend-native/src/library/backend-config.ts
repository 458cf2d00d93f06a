import type { ModelContext } from '@triton-ts/core/backend'
import type { BackendLibrary } from './backend-library.ts'

/** The compute capability that Triton's builds for GPUs ask for at least, as C++ prints it. */
const minComputeCapability = '6.000000'
const defaultMaxBatchSize = '4'

/** The settings that a library is told, as JSON: Triton's own ones, overlaid by those of the Server. */
export function backendConfigJson(
  { autoComplete, backendConfig }: Pick<ModelContext, 'autoComplete' | 'backendConfig'>,
  { backendDirectory }: BackendLibrary,
): string {
  const cmdline = {
    'auto-complete-config': String(autoComplete),
    'backend-directory': backendDirectory,
    'min-compute-capability': minComputeCapability,
    'default-max-batch-size': defaultMaxBatchSize,
    ...backendConfig,
  }
  return JSON.stringify({ cmdline })
}

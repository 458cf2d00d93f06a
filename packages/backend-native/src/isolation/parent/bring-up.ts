import { type ModelContext, modelConfigToJson } from '@triton-ts/core/backend'
import type { BackendSource, ModelReport, ModelSpec } from '../messages/model-spec.ts'
import { endUnlessDone } from './end-unless-done.ts'
import type { IsolatedInstance } from './isolated-instance.ts'
import { ModelProcess } from './model-process.ts'
import type { ProcessOptions } from './process-options.ts'

/** Starts a process with the model and its instances. */
export async function bringUp(
  context: ModelContext,
  options: ProcessOptions,
  instances: readonly IsolatedInstance[],
  signal: AbortSignal,
): Promise<{ process: ModelProcess; report: ModelReport }> {
  const process = await ModelProcess.start(context, options)
  const loading = load(process, modelSpec(options.source, context), instances, signal)
  const end = (): void => {
    const complaint = `model '${context.name}' does not give its load up`
    // How the load fails is heard below.
    endUnlessDone(process, loading, complaint, { clock: options.clock, logger: context.logger }).catch(() => {})
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  try {
    return { process, report: await loading }
  } catch (error) {
    await process.stop()
    throw error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

async function load(
  process: ModelProcess,
  spec: ModelSpec,
  instances: readonly IsolatedInstance[],
  signal: AbortSignal,
): Promise<ModelReport> {
  const report = await process.call('createModel', [spec], 'it loaded', signal)
  for (const instance of instances) await instance.createIn(process, signal)
  return report
}

const modelSpec = (source: BackendSource, context: ModelContext): ModelSpec => ({
  source,
  name: context.name,
  version: context.version,
  directory: context.directory,
  versionDirectory: context.versionDirectory,
  autoComplete: context.autoComplete,
  backendConfig: context.backendConfig,
  config: JSON.stringify(modelConfigToJson(context.config)),
})

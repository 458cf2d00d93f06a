import { join } from 'node:path'
import type { BackendModel } from '../backend/backend.ts'
import type { BackendServer } from '../backend/backend-server.ts'
import type { CacheGuard } from '../cache/cache-guard.ts'
import { mergeAutoCompleted } from '../config/auto-complete.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { validateModelConfig, validateModelIo, validateSequenceStates } from '../config/validate.ts'
import type { StepModels } from '../ensemble/step-models.ts'
import { createInstances } from '../instance/create-instances.ts'
import { type HostPolicies, instanceSlots } from '../instance/instance-slots.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { RateLimiter } from '../instance/rate-limiter.ts'
import { prepareWarmUp } from '../instance/warm-up.ts'
import { InferenceStats } from '../metrics/inference-stats.ts'
import { latencySettings } from '../metrics/latency-settings.ts'
import type { MetricCollector } from '../metrics/metric-family.ts'
import type { ResolvedMetricsOptions } from '../metrics/metrics-options.ts'
import { readLabels } from '../repository/label-file.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'
import { distinctStates } from '../scheduler/sequence/distinct-states.ts'
import { readInitialStates } from '../scheduler/sequence/initial-state.ts'
import type { Tracer } from '../trace/tracer.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { groupInstances, refuse } from './check-config.ts'
import { type BackendChoice, chooseBackend } from './choose-backend.ts'
import { LoadPhase } from './load-phase.ts'
import { modelCache } from './model-cache.ts'
import { ModelVersion } from './model-version.ts'
import { unservedSettings } from './unserved-settings.ts'

/** What loading needs of the Server. */
export interface LoadContext extends BackendChoice {
  readonly backendConfig: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly autoComplete: boolean
  /** Ids of the GPUs that models may use. */
  readonly gpus: readonly number[]
  readonly hostPolicies: HostPolicies
  /** Undefined: instances run freely. */
  readonly rateLimiter: RateLimiter | undefined
  /** Undefined: no response is cached. */
  readonly cache: CacheGuard | undefined
  readonly clock: Clock
  readonly logger: Logger
  /** The signals of all callers of the Server. */
  readonly signals: AbortFollowers
  readonly tracer: Tracer
  /** Where ensembles find the models of their steps. */
  readonly models: StepModels
  /** The Server for the code of a version of `model`. */
  server(model: Pick<ModelDefinition, 'id' | 'namespace'>, phase: LoadPhase): BackendServer
  readonly metrics: ResolvedMetricsOptions
  collectMetrics: (collector: MetricCollector) => () => void
  /** The UUID of a GPU, where that is known. */
  gpuUuid(id: number): string | undefined
}

/**
 * Brings up one version of a model: backend, auto-complete, checks, instances. What was made is given back when a
 * later step fails.
 * @throws TritonError; its `reason` is what the index shows.
 */
export function loadVersion(
  definition: ModelDefinition,
  version: number,
  context: LoadContext,
  signal: AbortSignal,
): Promise<ModelVersion> {
  const phase = new LoadPhase()
  return phase.during(() => bringUp(definition, version, context, phase, signal))
}

async function bringUp(
  definition: ModelDefinition,
  version: number,
  context: LoadContext,
  phase: LoadPhase,
  signal: AbortSignal,
): Promise<ModelVersion> {
  const { id, name, namespace, directory, config, locate } = definition
  const { autoComplete, gpus, clock, logger, collectMetrics } = context
  const start = clock.now()
  const versionDirectory = join(directory, String(version))
  const backend = definition.backend ?? (await chooseBackend({ directory, versionDirectory, config }, context))
  const grouped = groupInstances(config, { gpus }, locate)
  const backendModel = await backend.createModel({
    name,
    version,
    directory,
    versionDirectory,
    config: grouped,
    autoComplete,
    backendConfig: { ...context.backendConfig[''], ...context.backendConfig[config.backend] },
    server: context.server({ id, namespace }, phase),
    collectMetrics,
    logger,
    signal,
  })
  let instances: readonly ModelInstance[] = []
  try {
    const final = complete(grouped, definition, backendModel, gpus)
    for (const text of unservedSettings(final, backendModel)) context.logger.warn({ model: name, version }, text)
    distinctStates(final.sequenceBatching?.state ?? [], (text) => context.logger.warn({ model: name, version }, text))
    const labels = await readLabels(final, directory)
    refuse(validateSequenceStates(final), locate)
    const initialStates = await readInitialStates(final, directory, signal)
    const stats = new InferenceStats(latencySettings(final, context))
    instances = await createInstances(instanceSlots(final, context.hostPolicies, signal), {
      ...context,
      backendModel,
      stats,
      warmUp: prepareWarmUp({ ...context, config: final, directory, stats, signal }),
    })
    return new ModelVersion({
      id,
      namespace,
      version,
      config: final,
      labels,
      initialStates,
      backendModel,
      instances,
      stats,
      cache: modelCache(id, final, version, context),
      loadDuration: (clock.now() - start) / 1000,
      metricsInterval: context.metrics.interval,
      clock,
      logger: context.logger,
      signals: context.signals,
      tracer: context.tracer,
      phase,
    })
  } catch (error) {
    await Promise.allSettled(instances.map((instance) => instance.dispose()))
    await backendModel.dispose().catch((err: unknown) => {
      context.logger.error({ err }, `failed to clean up model '${name}' version ${version}`)
    })
    throw error
  }
}

/**
 * The final configuration. What the backend prefers is known only now; without that the instance groups stay as they
 * are.
 */
function complete(
  grouped: ModelConfig,
  { config: { instanceGroup }, locate }: ModelDefinition,
  { autoCompleted, preferredInstanceGroups: preferred }: BackendModel,
  gpus: readonly number[],
): ModelConfig {
  const completed = autoCompleted === undefined ? grouped : mergeAutoCompleted(grouped, autoCompleted)
  refuse([...validateModelConfig(completed), ...validateModelIo(completed)], locate)
  if (preferred === undefined) return completed
  return groupInstances({ ...completed, instanceGroup }, { gpus, preferred }, locate)
}

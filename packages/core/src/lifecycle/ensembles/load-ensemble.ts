import type { BackendModel } from '../../backend/backend.ts'
import type { ModelConfig } from '../../config/model-config.ts'
import { validateModelConfig, validateModelIo } from '../../config/validate.ts'
import type { EnsemblePlan } from '../../ensemble/ensemble-plan.ts'
import type { StepModels } from '../../ensemble/step-models.ts'
import { TritonError } from '../../errors.ts'
import { InferenceStats } from '../../metrics/inference-stats.ts'
import { latencySettings } from '../../metrics/latency-settings.ts'
import { type Labels, readLabels } from '../../repository/label-file.ts'
import type { ModelDefinition } from '../../repository/model-definition.ts'
import { refuse } from '../check-config.ts'
import type { LoadContext } from '../load-version.ts'
import { modelCache } from '../model-cache.ts'
import { ModelVersion } from '../model-version.ts'
import { unservedSettings } from '../unserved-settings.ts'

/** The ids of the models of an ensemble's steps, by the names that the steps have for them. */
export type StepIds = ReadonlyMap<string, string>

/** An ensemble of which everything was read: from here on it becomes versions in one step, whenever its models change. */
export interface EnsembleDefinition {
  readonly definition: ModelDefinition
  readonly versions: readonly number[]
  /** Of the outputs for which the ensemble has label files itself. */
  readonly labels: Labels
}

/**
 * Reads and checks what an ensemble is by itself, without the models of its steps.
 * @throws TritonError
 */
export async function readEnsemble(
  definition: ModelDefinition,
  versions: readonly number[],
): Promise<EnsembleDefinition> {
  const { config, directory, locate } = definition
  refuse(validateModelIo(config), locate)
  return { definition, versions, labels: await readLabels(config, directory) }
}

/**
 * Makes one version of an ensemble. It has neither a backend nor instances, so nothing has to be waited for.
 * @throws TritonError for a configuration that does not suit the models of its steps.
 */
export function loadEnsemble(
  { definition, labels }: EnsembleDefinition,
  steps: StepIds,
  version: number,
  plan: EnsemblePlan,
  context: LoadContext,
): ModelVersion {
  const { clock, logger, signals } = context
  const models: StepModels = { find: (name, version) => context.models.find(steps.get(name) ?? name, version) }
  const { id, namespace } = definition
  const { config } = plan
  refuse(validateModelConfig(config), definition.locate)
  for (const text of unservedSettings(config, noBackend)) logger.warn({ model: id, version }, text)
  return new ModelVersion({
    id,
    namespace,
    version,
    config,
    labels: withLabelsOfSteps(labels, config, models),
    backendModel: noBackend,
    instances: [],
    ensemble: { plan, models },
    stats: new InferenceStats(latencySettings(config, context)),
    cache: modelCache(id, config, version, context),
    clock,
    logger,
    signals,
    tracer: context.tracer,
  })
}

/** An output for which the ensemble has no labels has those of the step that it comes from. */
function withLabelsOfSteps(labels: Labels, { output, ensembleScheduling }: ModelConfig, models: StepModels): Labels {
  const all = new Map(labels)
  for (const { modelName, modelVersion, outputMap } of ensembleScheduling?.step ?? []) {
    for (const [stepOutput, tensor] of Object.entries(outputMap)) {
      if (all.has(tensor) || !output.some(({ name }) => name === tensor)) continue
      const ofStep = models.find(modelName, modelVersion).labels.get(stepOutput)
      if (ofStep !== undefined) all.set(tensor, ofStep)
    }
  }
  return all
}

/** What stands in the place of a backend where there is none. */
const noBackend: BackendModel = {
  createInstance: async () => {
    throw new TritonError('INTERNAL', 'an ensemble has no instances')
  },
  dispose: async () => {},
}

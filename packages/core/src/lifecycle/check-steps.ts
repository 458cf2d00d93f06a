import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { stepModels } from './ensemble-graph.ts'

/** A model that an ensemble needs, as far as the ensemble is concerned. */
export interface StepState {
  /** Whether somebody wants it to be served, with success or not. */
  readonly isKnown: boolean
  /** Why it cannot be served as it is configured, of an ensemble. */
  readonly problem: string | undefined
  /** Why its last load failed. */
  readonly failure: string | undefined
  readonly readyVersions: readonly number[]
}

/**
 * Checks that the models of an ensemble's steps are there, as Triton does before it looks at their tensors.
 * @param circle a model that the ensemble needs and that needs the ensemble itself.
 * @throws TritonError INVALID_ARG with Triton's texts.
 */
export function checkSteps(
  config: ModelConfig,
  circle: string | undefined,
  stateOf: (model: string) => StepState,
): void {
  const { name } = config
  const models = [...stepModels(config)]
  const missing = models.filter((model) => !stateOf(model).isKnown).sort()
  if (missing.length > 0) {
    throw invalid(`ensemble ${name} contains models that are not available or ambiguous: ${missing.join(', ')}`)
  }
  if (circle !== undefined) {
    throw invalid(`circular dependency between ensembles: ${name} -> ... -> ${circle} -> ${name}`)
  }
  for (const model of models) checkStep(config, model, stateOf(model))
}

function checkStep(config: ModelConfig, model: string, { problem, failure, readyVersions }: StepState): void {
  const depends = `ensemble '${config.name}' depends on '${model}'`
  if (problem !== undefined) {
    throw invalid(`${depends} which is not valid. Model '${model}' failed with error: ${problem}`)
  }
  if (readyVersions.length === 0) {
    const why = failure === undefined ? '' : ` Model '${model}' loading failed with error: ${failure}`
    throw invalid(`${depends} which has no loaded version.${why}`)
  }
  for (const { modelName, modelVersion } of config.ensembleScheduling?.step ?? []) {
    if (modelName !== model || modelVersion === -1 || readyVersions.includes(modelVersion)) continue
    throw invalid(`${depends} whose required version ${modelVersion} is not loaded.`)
  }
}

const invalid = (message: string): TritonError => new TritonError('INVALID_ARG', message)

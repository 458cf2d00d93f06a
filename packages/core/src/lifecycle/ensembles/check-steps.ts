import { TritonError } from '../../errors.ts'
import type { ModelDefinition } from '../../repository/model-definition.ts'
import { stepModels } from './ensemble-graph.ts'

/** A model that an ensemble needs, as far as the ensemble is concerned. */
export interface StepState {
  readonly id: string
  /** Whether somebody wants it to be served, with success or not. */
  readonly isKnown: boolean
  /** Why it cannot be served as it is configured, of an ensemble. */
  readonly problem: string | undefined
  /** Why its last load failed. */
  readonly failure: string | undefined
  readonly readyVersions: readonly number[]
}

/** An ensemble, by its id. */
export type CheckedEnsemble = Pick<ModelDefinition, 'id' | 'config'>

/**
 * Checks that the models of an ensemble's steps are there, as Triton does before it looks at their tensors.
 * @param circle a model that the ensemble needs and that needs the ensemble itself.
 * @throws TritonError INVALID_ARG with Triton's texts.
 */
export function checkSteps(
  ensemble: CheckedEnsemble,
  circle: string | undefined,
  stateOf: (model: string) => StepState,
): void {
  const { id } = ensemble
  const models = [...stepModels(ensemble.config)]
  const missing = models.filter((model) => !stateOf(model).isKnown).sort()
  if (missing.length > 0) {
    throw invalid(`ensemble ${id} contains models that are not available or ambiguous: ${missing.join(', ')}`)
  }
  if (circle !== undefined) {
    throw invalid(`circular dependency between ensembles: ${id} -> ... -> ${circle} -> ${id}`)
  }
  for (const model of models) checkStep(ensemble, model, stateOf(model))
}

function checkStep(ensemble: CheckedEnsemble, model: string, { id, problem, failure, readyVersions }: StepState): void {
  const depends = `ensemble '${ensemble.id}' depends on '${id}'`
  if (problem !== undefined) {
    throw invalid(`${depends} which is not valid. Model '${id}' failed with error: ${problem}`)
  }
  if (readyVersions.length === 0) {
    const why = failure === undefined ? '' : ` Model '${id}' loading failed with error: ${failure}`
    throw invalid(`${depends} which has no loaded version.${why}`)
  }
  for (const { modelName, modelVersion } of ensemble.config.ensembleScheduling?.step ?? []) {
    if (modelName !== model || modelVersion === -1 || readyVersions.includes(modelVersion)) continue
    throw invalid(`${depends} whose required version ${modelVersion} is not loaded.`)
  }
}

const invalid = (message: string): TritonError => new TritonError('INVALID_ARG', message)

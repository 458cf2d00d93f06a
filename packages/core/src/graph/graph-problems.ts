import type { ModelConfig } from '../config/model-config.ts'
import { planEnsemble } from '../ensemble/ensemble-plan.ts'
import { TritonError } from '../errors.ts'
import { type CheckedEnsemble, checkSteps } from '../lifecycle/ensembles/check-steps.ts'
import { EnsembleGraph, stepModels } from '../lifecycle/ensembles/ensemble-graph.ts'
import type { FoundModel } from './found-model.ts'

/** One sentence for each model that could not be loaded, as far as files tell, with Triton's text where it has one. */
export function graphProblems(name: string, found: ReadonlyMap<string, FoundModel>): string[] {
  if (!found.has(name)) return [`model '${name}' is not in any model repository`]
  const graph = new EnsembleGraph()
  for (const [model, { config }] of found) if (config !== undefined) graph.connect(model, stepModels(config))
  return [...found].flatMap(([model, { config, problem }]) => {
    if (problem !== undefined) return [`model '${model}': ${problem}`]
    if (config?.ensembleScheduling === undefined) return []
    try {
      checkEnsemble({ id: model, config }, graph.closesCircle(model), found)
      return []
    } catch (error) {
      return [TritonError.from(error).message]
    }
  })
}

/** @throws TritonError INVALID_ARG */
function checkEnsemble(
  ensemble: CheckedEnsemble,
  circle: string | undefined,
  found: ReadonlyMap<string, FoundModel>,
): void {
  const { config } = ensemble
  checkSteps(ensemble, circle, (model) => {
    const one = found.get(model)
    return {
      id: model,
      isKnown: one !== undefined,
      problem: one?.problem,
      failure: undefined,
      readyVersions: one?.versions ?? [],
    }
  })
  const models = new Map<string, ModelConfig>()
  for (const model of stepModels(config)) {
    const step = found.get(model)?.config
    // What a backend would complete is not known, so there is nothing to compare.
    if (step === undefined || step.input.length === 0 || step.output.length === 0) return
    models.set(model, step)
  }
  planEnsemble(config, models)
}

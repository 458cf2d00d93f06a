import { TritonError } from '../errors.ts'
import type { EnsemblePlan, PlannedModel, PlannedStep } from './ensemble-plan.ts'
import type { StepModel, StepModels } from './step-models.ts'

/** The models of the steps of one request: the versions that serve when it begins stay for it until its end. */
export class HeldModels {
  readonly #plan: EnsemblePlan
  /** By their place in the plan; only those that the request needs. */
  readonly #models: (StepModel | undefined)[] = []

  constructor(plan: EnsemblePlan) {
    this.#plan = plan
  }

  /**
   * Finds them, as in Triton at the beginning for all steps; but here not for those that no wanted output needs.
   * @param indices places in `EnsemblePlan.models`.
   * @returns the first that does not serve, if there is one, and the first step that needs it.
   */
  hold(
    indices: readonly number[],
    models: StepModels,
  ): { readonly error: TritonError; readonly step: PlannedStep | undefined } | undefined {
    for (const index of indices) {
      const { name, version } = this.#plan.models[index] as PlannedModel
      try {
        const model = models.find(name, version)
        model.hold()
        this.#models[index] = model
      } catch (error) {
        return { error: TritonError.from(error), step: this.#plan.steps.find(({ modelIndex }) => modelIndex === index) }
      }
    }
    return undefined
  }

  at(index: number): StepModel {
    return this.#models[index] as StepModel
  }

  letGo(): void {
    for (const model of this.#models.splice(0)) model?.letGo()
  }
}

import type { EnsemblePlan } from './ensemble-plan.ts'
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
   * @param index place in `EnsemblePlan.models`.
   * @throws TritonError when the model does not serve.
   */
  hold(index: number, models: StepModels): void {
    const { name, version } = this.#plan.models[index] as EnsemblePlan['models'][number]
    const model = models.find(name, version)
    model.hold()
    this.#models[index] = model
  }

  at(index: number): StepModel {
    return this.#models[index] as StepModel
  }

  letGo(): void {
    for (const model of this.#models.splice(0)) model?.letGo()
  }
}

import type { ModelConfig } from '../../config/model-config.ts'

/** Names of the models that an ensemble's steps run, each once, in the order of the steps; none for another model. */
export const stepModels = (config: ModelConfig): ReadonlySet<string> =>
  new Set(config.ensembleScheduling?.step.map(({ modelName }) => modelName))

/** Which ensemble needs which models. */
export class EnsembleGraph {
  readonly #steps = new Map<string, ReadonlySet<string>>()
  /** The ensembles that need a model directly; none of the sets is empty. */
  readonly #dependents = new Map<string, Set<string>>()

  /** From now on `ensemble` needs `models`, and no others. */
  connect(ensemble: string, models: ReadonlySet<string>): void {
    this.remove(ensemble)
    this.#steps.set(ensemble, models)
    for (const model of models) {
      const dependents = this.#dependents.get(model)
      if (dependents === undefined) this.#dependents.set(model, new Set([ensemble]))
      else dependents.add(ensemble)
    }
  }

  remove(ensemble: string): void {
    for (const model of this.upstream(ensemble)) {
      const dependents = this.#dependents.get(model)
      dependents?.delete(ensemble)
      if (dependents?.size === 0) this.#dependents.delete(model)
    }
    this.#steps.delete(ensemble)
  }

  has(ensemble: string): boolean {
    return this.#steps.has(ensemble)
  }

  /** The models that an ensemble needs directly; none for another model. */
  upstream(ensemble: string): ReadonlySet<string> {
    return this.#steps.get(ensemble) ?? none
  }

  /** The ensembles that need a model directly. */
  dependents(model: string): ReadonlySet<string> {
    return this.#dependents.get(model) ?? none
  }

  isNeeded(model: string): boolean {
    return this.#dependents.has(model)
  }

  /** The ensembles that need a model, directly or not, each after those that it needs itself. */
  downstream(model: string): string[] {
    const found: string[] = []
    const seen = new Set<string>()
    const visit = (name: string): void => {
      for (const ensemble of this.dependents(name)) {
        if (seen.has(ensemble)) continue
        seen.add(ensemble)
        visit(ensemble)
        found.push(ensemble)
      }
    }
    visit(model)
    return found.reverse()
  }

  /** A model that `ensemble` needs, directly or not, and that needs `ensemble` itself; undefined when there is none. */
  closesCircle(ensemble: string): string | undefined {
    const seen = new Set<string>()
    const search = (name: string): string | undefined => {
      if (seen.has(name)) return undefined
      seen.add(name)
      const steps = this.upstream(name)
      if (steps.has(ensemble)) return name
      for (const step of steps) {
        const found = search(step)
        if (found !== undefined) return found
      }
      return undefined
    }
    return search(ensemble)
  }
}

const none: ReadonlySet<string> = new Set()

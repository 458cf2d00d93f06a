import type { ModelConfig } from '../config/model-config.ts'

/** Names of the models that an ensemble's steps run, each once, in the order of the steps; none for another model. */
export const stepModels = (config: ModelConfig): ReadonlySet<string> =>
  new Set(config.ensembleScheduling?.step.map(({ modelName }) => modelName))

/** Which ensemble needs which models. */
export class EnsembleGraph {
  readonly #steps = new Map<string, ReadonlySet<string>>()

  /** From now on `ensemble` needs `models`, and no others. */
  connect(ensemble: string, models: ReadonlySet<string>): void {
    this.#steps.set(ensemble, models)
  }

  remove(ensemble: string): void {
    this.#steps.delete(ensemble)
  }

  has(ensemble: string): boolean {
    return this.#steps.has(ensemble)
  }

  /** The models that an ensemble needs directly; none for another model. */
  upstream(ensemble: string): ReadonlySet<string> {
    return this.#steps.get(ensemble) ?? none
  }

  isNeeded(model: string): boolean {
    for (const steps of this.#steps.values()) if (steps.has(model)) return true
    return false
  }

  /** The ensembles that need a model, directly or not, each after those that it needs itself. */
  downstream(model: string): string[] {
    const found: string[] = []
    const seen = new Set<string>()
    const visit = (name: string): void => {
      for (const [ensemble, steps] of this.#steps) {
        if (!steps.has(name) || seen.has(ensemble)) continue
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

import type { ModelNames } from '../model-names.ts'
import { EnsembleGraph, stepModels } from './ensemble-graph.ts'
import type { EnsembleDefinition, StepIds } from './load-ensemble.ts'

/** Which models the steps of ensembles are, of those that are to be served and of those that are being loaded. */
export class EnsembleSteps {
  readonly #names: ModelNames
  /** By id. */
  readonly #ensembles = new Map<string, EnsembleDefinition>()
  readonly #steps = new Map<string, StepIds>()
  /** What ensembles need that are being loaded. */
  readonly #announced = new Map<string, readonly string[]>()
  /** By ids. */
  readonly graph = new EnsembleGraph()
  /** Which ensembles have steps of which names; only where names are told apart by repository. */
  readonly #named = new EnsembleGraph()

  constructor(names: ModelNames) {
    this.#names = names
  }

  of(id: string): StepIds {
    return this.#steps.get(id) ?? none
  }

  /** From now on the ensemble needs these models, and still those that it needed before. */
  announce(id: string, models: readonly string[]): void {
    this.#announced.set(id, models)
    this.#connect(id)
  }

  /** What was announced holds no longer. */
  settle(id: string): void {
    this.#announced.delete(id)
    this.#connect(id)
  }

  /** From now on this is what the ensemble is. */
  set(ensemble: EnsembleDefinition): void {
    const { id } = ensemble.definition
    this.#ensembles.set(id, ensemble)
    this.#steps.set(id, this.#idsOf(ensemble))
    if (this.#names.hasNamespaces) this.#named.connect(id, stepModels(ensemble.definition.config))
    this.settle(id)
  }

  delete(id: string): void {
    this.#ensembles.delete(id)
    this.#named.remove(id)
    this.#steps.delete(id)
    this.settle(id)
  }

  /**
   * Where names are told apart by repository, a step of this name may mean another model than before.
   * @returns the ensembles of which that is so.
   */
  relink(name: string): string[] {
    const relinked: string[] = []
    for (const id of this.#named.dependents(name)) {
      const ensemble = this.#ensembles.get(id)
      if (ensemble === undefined) continue
      const steps = this.#idsOf(ensemble)
      const before = this.of(id)
      if ([...steps].every(([name, model]) => before.get(name) === model)) continue
      this.#steps.set(id, steps)
      this.#connect(id)
      relinked.push(id)
    }
    return relinked
  }

  #connect(id: string): void {
    const steps = this.#steps.get(id)
    const announced = this.#announced.get(id)
    if (steps === undefined && announced === undefined) this.graph.remove(id)
    else this.graph.connect(id, new Set([...(steps?.values() ?? []), ...(announced ?? [])]))
  }

  #idsOf({ definition: { config, namespace } }: EnsembleDefinition): StepIds {
    return new Map([...stepModels(config)].map((name) => [name, this.#names.stepId(name, namespace)]))
  }
}

const none: StepIds = new Map()

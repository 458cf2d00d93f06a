import { planEnsemble } from '../ensemble/ensemble-plan.ts'
import { TritonError } from '../errors.ts'
import { checkSteps, type StepState } from './check-steps.ts'
import { EnsembleGraph } from './ensemble-graph.ts'
import { type EnsembleDefinition, loadEnsemble } from './load-ensemble.ts'
import type { LoadContext } from './load-version.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelVersion } from './model-version.ts'

interface WantedEnsemble {
  readonly ensemble: EnsembleDefinition
  /** Every ready version of its steps' models when it was last made; undefined when it never was. */
  madeOf: readonly ModelVersion[] | undefined
  /** Why it cannot be served. */
  problem: TritonError | undefined
}

/**
 * The ensembles that are to be served. Each is in service exactly when its steps are: whenever a model has changed,
 * those that need it are made anew or taken out of service, all in the same step, so nobody ever sees them apart. An
 * ensemble that cannot be served stays wanted, as in Triton, and comes up when its steps do.
 */
export class Ensembles {
  readonly #entries: ModelEntries
  readonly #context: LoadContext
  readonly #graph = new EnsembleGraph()
  readonly #wanted = new Map<string, WantedEnsemble>()

  constructor(entries: ModelEntries, context: LoadContext) {
    this.#entries = entries
    this.#context = context
  }

  /**
   * An ensemble is being loaded: its steps count as needed from now on, and those of the form that serves meanwhile still
   * do. Ends with `serve` or `revert`.
   * @param steps ids of models by the names that the steps have for them.
   */
  announce(id: string, steps: ReadonlyMap<string, string>): void {
    const old = this.#wanted.get(id)?.ensemble.steps.values() ?? []
    this.#graph.connect(id, new Set([...old, ...steps.values()]))
  }

  /** The load that was announced was given up; what was wanted before still is. */
  revert(id: string): void {
    const wanted = this.#wanted.get(id)
    if (wanted === undefined) this.#graph.remove(id)
    else this.announce(id, wanted.ensemble.steps)
  }

  /** From now on this is what the ensemble is, in service or not; `problemOf` tells. */
  serve(ensemble: EnsembleDefinition): void {
    const { id } = ensemble.definition
    this.#wanted.set(id, { ensemble, madeOf: undefined, problem: undefined })
    this.announce(id, ensemble.steps)
    this.#make(id)
    this.refresh(id)
  }

  /** Why an ensemble is not in service; undefined when it is. */
  problemOf(name: string): TritonError | undefined {
    return this.#wanted.get(name)?.problem
  }

  /** The versions of a model in service have changed. */
  refresh(model: string): void {
    for (const ensemble of this.#graph.downstream(model)) this.#make(ensemble)
  }

  /**
   * The model is no ensemble any more, or is not to be served; its versions are the caller's.
   * @returns the models that it needed.
   */
  forget(name: string): Iterable<string> {
    const steps = this.#graph.upstream(name)
    this.#wanted.delete(name)
    this.#graph.remove(name)
    return steps
  }

  /** Whether an ensemble that is to be served, or is being loaded, has the model as a step. */
  isNeeded(model: string): boolean {
    return this.#graph.isNeeded(model)
  }

  #make(id: string): void {
    const wanted = this.#wanted.get(id)
    if (wanted === undefined) return
    const models = [...wanted.ensemble.steps.values()]
    const steps = models.flatMap((model) => this.#entries.readyVersions(model))
    if (wanted.madeOf !== undefined && isSame(wanted.madeOf, steps)) return
    wanted.madeOf = steps
    wanted.problem = undefined
    const entry = this.#entries.entry(id)
    let made: readonly ModelVersion[] = []
    try {
      made = this.#versions(wanted.ensemble)
    } catch (error) {
      wanted.problem = TritonError.from(error)
      if (entry.ready.length > 0) this.#context.logger.error({ model: id }, wanted.problem.message)
    }
    for (const model of made) this.#entries.serve(entry, model)
    for (const { version } of entry.ready) {
      if (!made.some((model) => model.version === version)) this.#entries.retire(entry, version)
    }
    this.#entries.tidy(entry)
  }

  /** @throws TritonError when it cannot be made of what is there. */
  #versions(ensemble: EnsembleDefinition): ModelVersion[] {
    const { id, config } = ensemble.definition
    const { steps } = ensemble
    checkSteps(config, this.#graph.closesCircle(id), (name) => this.#stateOf(steps.get(name) ?? name))
    const models = new Map([...steps].map(([name, model]) => [name, this.#entries.find(model, -1).config] as const))
    const plan = planEnsemble(config, models)
    return ensemble.versions.map((version) => loadEnsemble(ensemble, version, plan, this.#context))
  }

  #stateOf(model: string): StepState {
    const entry = this.#entries.get(model)
    const problem = this.problemOf(model)?.message
    const readyVersions = this.#entries.readyVersions(model).map(({ version }) => version)
    const failure = entry?.failure
    const isKnown = this.#graph.has(model) || readyVersions.length > 0 || failure !== undefined
    return { isKnown, problem, failure, readyVersions }
  }
}

const isSame = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index])

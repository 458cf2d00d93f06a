import { planEnsemble } from '../../ensemble/ensemble-plan.ts'
import { TritonError } from '../../errors.ts'
import type { LoadContext } from '../load-version.ts'
import type { ModelEntries } from '../model-entries.ts'
import type { ModelVersion } from '../model-version.ts'
import { checkSteps, type StepState } from './check-steps.ts'
import { EnsembleSteps } from './ensemble-steps.ts'
import { type EnsembleDefinition, loadEnsemble } from './load-ensemble.ts'

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
  readonly #steps: EnsembleSteps
  readonly #wanted = new Map<string, WantedEnsemble>()

  constructor(entries: ModelEntries, context: LoadContext) {
    this.#entries = entries
    this.#context = context
    this.#steps = new EnsembleSteps(entries.names)
  }

  /**
   * An ensemble is being loaded: its steps count as needed from now on, and those of the form that serves meanwhile still
   * do. Ends with `serve` or `settle`.
   * @param steps ids of models.
   */
  announce(id: string, steps: readonly string[]): void {
    this.#steps.announce(id, steps)
  }

  /** The load that was announced is over; what was wanted before still is. */
  settle(id: string): void {
    this.#steps.settle(id)
  }

  /** From now on this is what the ensemble is, in service or not; `problemOf` tells. */
  serve(ensemble: EnsembleDefinition): void {
    const { id } = ensemble.definition
    this.#wanted.set(id, { ensemble, madeOf: undefined, problem: undefined })
    this.#steps.set(ensemble)
    this.#make(id)
    this.refresh(id)
  }

  /** Why an ensemble is not in service; undefined when it is. */
  problemOf(name: string): TritonError | undefined {
    return this.#wanted.get(name)?.problem
  }

  /** The versions of a model in service have changed, or whether it is wanted has. */
  refresh(model: string): void {
    for (const id of this.#steps.relink(this.#entries.get(model)?.name ?? model)) {
      const wanted = this.#wanted.get(id)
      if (wanted !== undefined) wanted.madeOf = undefined
      this.#make(id)
      this.#makeDownstream(id)
    }
    this.#makeDownstream(model)
  }

  /**
   * The model is no ensemble any more, or is not to be served; its versions are the caller's.
   * @returns the models that it needed.
   */
  forget(name: string): Iterable<string> {
    const steps = this.#steps.graph.upstream(name)
    this.#wanted.delete(name)
    this.#steps.delete(name)
    return steps
  }

  /** Whether an ensemble that is to be served, or is being loaded, has the model as a step. */
  isNeeded(model: string): boolean {
    return this.#steps.graph.isNeeded(model)
  }

  #makeDownstream(model: string): void {
    for (const ensemble of this.#steps.graph.downstream(model)) this.#make(ensemble)
  }

  #make(id: string): void {
    const wanted = this.#wanted.get(id)
    if (wanted === undefined) return
    const steps = [...this.#steps.of(id).values()].flatMap((model) => this.#entries.readyVersions(model))
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
    const { graph } = this.#steps
    const steps = this.#steps.of(id)
    checkSteps(ensemble.definition, graph.closesCircle(id), (name) => this.#stateOf(steps.get(name) ?? name))
    const models = new Map([...steps].map(([name, model]) => [name, this.#entries.find(model, -1).config] as const))
    const plan = planEnsemble(config, models)
    return ensemble.versions.map((version) => loadEnsemble(ensemble, steps, version, plan, this.#context))
  }

  #stateOf(model: string): StepState {
    const entry = this.#entries.get(model)
    const problem = this.problemOf(model)?.message
    const readyVersions = this.#entries.readyVersions(model).map(({ version }) => version)
    const failure = entry?.failure
    const isKnown = this.#steps.graph.has(model) || readyVersions.length > 0 || failure !== undefined
    return { id: model, isKnown, problem, failure, readyVersions }
  }
}

const isSame = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index])

import { TritonError } from '../errors.ts'
import type { MetricFamilySnapshot } from '../metrics/metric-family.ts'
import type { ListedModel } from '../repository/model-repository.ts'
import { ModelSplit } from './model-split.ts'
import { splitMetrics } from './split-metrics.ts'
import type { TrafficSplit } from './traffic-split.ts'

/** The traffic splits of a Server, by the names, or ids, of their models. */
export class TrafficSplits {
  readonly #splits = new Map<string, ModelSplit>()

  /** @throws TritonError INVALID_ARG for settings that make no sense. */
  constructor(settings: ReadonlyMap<string, TrafficSplit>) {
    for (const [name, split] of settings) this.set(name, split)
  }

  get isEmpty(): boolean {
    return this.#splits.size === 0
  }

  get names(): Iterable<string> {
    return this.#splits.keys()
  }

  /** @param id of the model, which is its name where names are not told apart by repository. */
  find(id: string, name: string): ModelSplit | undefined {
    return this.#splits.get(id) ?? (id === name ? undefined : this.#splits.get(name))
  }

  get(name: string): TrafficSplit | undefined {
    return this.#splits.get(name)?.settings
  }

  /**
   * Sets a split, changes it, or without `settings` removes it; it holds for the next request.
   * @throws TritonError INVALID_ARG for settings that make no sense; what was set before goes on.
   */
  set(name: string, settings: TrafficSplit | undefined): void {
    if (settings === undefined) {
      this.#splits.delete(name)
      return
    }
    if (typeof settings !== 'object' || settings === null) {
      throw new TritonError('INVALID_ARG', `the traffic split of model '${name}' must be an object with weights`)
    }
    const { stickyParameter } = settings
    if (stickyParameter !== undefined && (typeof stickyParameter !== 'string' || stickyParameter === '')) {
      throw new TritonError('INVALID_ARG', `the stickyParameter of model '${name}' must be the name of a parameter`)
    }
    this.#splits.set(name, new ModelSplit(name, settings, this.#splits.get(name)))
  }

  collect(): MetricFamilySnapshot[] {
    return splitMetrics(this.#splits)
  }
}

/** @throws TritonError INVALID_ARG for a name that no model has. */
export function expectModels(names: Iterable<string>, models: readonly Pick<ListedModel, 'id' | 'name'>[]): void {
  for (const name of names) {
    if (models.some((model) => model.name === name || model.id === name)) continue
    throw new TritonError('INVALID_ARG', `there is no model '${name}' to split the traffic of; is its name right?`)
  }
}

import type { EnsemblePlan } from './ensemble-plan.ts'
import { planRoute, type Route } from './route.ts'

/** Sets of outputs whose routes are kept; clients usually ask for few different ones. */
const mostKept = 64

/** The routes of an ensemble, each made when its outputs are asked for first. */
export class Routes {
  readonly #plan: EnsemblePlan
  readonly #all: Route
  readonly #some = new Map<string, Route>()

  constructor(plan: EnsemblePlan) {
    this.#plan = plan
    this.#all = planRoute(
      plan,
      plan.outputs.map(({ name }) => name),
    )
  }

  /** @param outputs names of the wanted outputs, each once. */
  to(outputs: readonly string[]): Route {
    if (outputs.length === this.#plan.outputs.length) return this.#all
    const key = outputs.join('\0')
    let route = this.#some.get(key)
    if (route === undefined) {
      route = planRoute(this.#plan, outputs)
      if (this.#some.size < mostKept) this.#some.set(key, route)
    }
    return route
  }
}

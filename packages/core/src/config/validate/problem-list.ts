import type { ConfigProblem } from '../config-error.ts'

/** Collects problems in Triton's order; what several checks find is kept once. */
export class ProblemList {
  readonly problems: ConfigProblem[] = []
  readonly #known = new Set<string>()

  add(path: string, message: string): void {
    const key = `${path}\n${message}`
    if (!this.#known.has(key)) this.problems.push({ message, path })
    this.#known.add(key)
  }

  /** Adds the problem unless `condition` holds; returns the condition. */
  require(condition: boolean, path: string, message: string): boolean {
    if (!condition) this.add(path, message)
    return condition
  }
}

import type { Tensor } from '../request/tensor.ts'
import type { PlannedStep } from './ensemble-plan.ts'
import type { Route } from './route.ts'
import type { SequenceMark } from './sequence-mark.ts'

/** What is known of where a tensor came from. */
export interface TensorSource {
  /** Undefined for the caller's inputs, which leave sequences as they are. */
  readonly mark: SequenceMark | undefined
  /** Leading dimension of the request that it came with; 0 from a model without batching. */
  readonly batchSize: number
}

/**
 * Tensors that belong together: those of a request, or what comes of one response of a decoupled step. A tensor is let go
 * of when the last that needs it has it.
 */
export class Flow {
  readonly #route: Route
  /** By the number of the tensor; null is one that nobody gave. */
  readonly #tensors: (Tensor | null | undefined)[] = []
  readonly #sources: (TensorSource | undefined)[] = []
  readonly #uses: number[]
  readonly #needs: number[]
  #missingOutputs: number

  constructor(route: Route) {
    this.#route = route
    this.#uses = route.uses.slice()
    this.#needs = route.needs.slice()
    this.#missingOutputs = route.outputs.length
  }

  /**
   * Adds a tensor, which is not there yet.
   * @param ready is called for each step that has all its inputs now.
   */
  add(tensor: number, value: Tensor | null, source: TensorSource, ready: (step: PlannedStep) => void): void {
    if (this.#uses[tensor] === 0) return
    this.#tensors[tensor] = value
    this.#sources[tensor] = source
    if (this.#route.isWanted[tensor]) this.#missingOutputs--
    for (const step of this.#route.consumers[tensor] as readonly PlannedStep[]) {
      const needs = (this.#needs[step.index] as number) - 1
      this.#needs[step.index] = needs
      if (needs === 0) ready(step)
    }
  }

  /** Whether every wanted output is there, or will not come. */
  get isComplete(): boolean {
    return this.#missingOutputs === 0
  }

  tensor(tensor: number): Tensor | null {
    return this.#tensors[tensor] ?? null
  }

  source(tensor: number): TensorSource {
    return this.#sources[tensor] as TensorSource
  }

  /** One of those that need the tensor has it. */
  taken(tensor: number): void {
    const uses = (this.#uses[tensor] as number) - 1
    this.#uses[tensor] = uses
    if (uses === 0) this.#tensors[tensor] = undefined
  }
}

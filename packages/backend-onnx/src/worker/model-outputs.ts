import type { ModelConfig, Tensor } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'

/** The outputs of a model that the engine knows: those for callers, and states of sequences. */
export class ModelOutputs {
  /** As Triton's backend orders its answers. */
  readonly #names: readonly string[]
  readonly #states: ReadonlySet<string>
  /** What callers see of an output that is a scalar in the model. */
  readonly #scalarShapes: ReadonlyMap<string, readonly number[]>

  constructor({ output, sequenceBatching }: ModelConfig) {
    const states = sequenceBatching?.state ?? []
    this.#states = new Set(states.map(({ outputName }) => outputName))
    this.#scalarShapes = new Map([
      ...states.map(({ outputName, dims }) => [outputName, dims.map(() => 1)] as const),
      ...output.map(({ name, dims, reshape }) => [name, reshape?.shape ?? dims] as const),
    ])
    this.#names = [...this.#scalarShapes.keys()].sort()
  }

  /** What a run for these requests has to compute: what some caller wants, and every state. */
  namesFor(requests: readonly ExecutionRequest[]): string[] {
    return this.#names.filter(
      (name) => this.#states.has(name) || requests.some(({ requestedOutputs }) => requestedOutputs.includes(name)),
    )
  }

  /** What a run gave for `names`, for the engine. */
  byName(names: readonly string[], tensors: readonly Tensor[]): Record<string, Tensor> {
    return Object.fromEntries(
      names.map((name, index) => {
        const tensor = tensors[index] as Tensor
        return [name, tensor.shape.length === 0 ? tensor.reshape(this.#scalarShapes.get(name) ?? []) : tensor]
      }),
    )
  }
}

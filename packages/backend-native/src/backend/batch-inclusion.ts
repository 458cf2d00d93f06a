import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { ModelHandle } from '../host/binding.ts'
import type { Host } from '../host/host.ts'
import type { NameTable } from '../host/name-table.ts'

/**
 * Custom batching. A library keeps an account of the batch that it was asked about, request by request; where the engine
 * asks about another batch, the account begins anew.
 */
export class BatchInclusion {
  readonly #host: Host
  readonly #model: ModelHandle
  /** What the library's account has. */
  #known: ExecutionRequest[] = []

  constructor(host: Host, model: ModelHandle) {
    this.#host = host
    this.#model = model
  }

  /** @param batch is not empty. */
  includes(batch: readonly ExecutionRequest[], request: ExecutionRequest, names: NameTable): boolean {
    if (!this.#knows(batch)) {
      this.#known = []
      for (const member of batch) this.#ask(member, names)
    }
    if (this.#ask(request, names)) return true
    this.#known = []
    return false
  }

  #knows(batch: readonly ExecutionRequest[]): boolean {
    return batch.length === this.#known.length && batch.every((member, i) => member === this.#known[i])
  }

  #ask(request: ExecutionRequest, names: NameTable): boolean {
    const { writer, binding } = this.#host
    writer.begin()
    writer.request(0, request, names)
    const isFirst = this.#known.length === 0
    this.#known.push(request)
    return binding.includeRequest(this.#model, isFirst, writer.take())
  }
}

import type { TritonError } from '../errors.ts'
import { type Linked, LinkedList } from '../util/linked-list.ts'
import type { InferenceRequest } from './inference-request.ts'

/** The requests that serve one other request and have no final answer yet. */
export class NestedRequests {
  readonly #own = new LinkedList<NestedLink>()
  /** Those that serve the others of its batch, too. */
  readonly #shared = new LinkedList<NestedLink>()

  add(request: InferenceRequest, isShared: boolean): NestedLink {
    const link = new NestedLink(request)
    const list = isShared ? this.#shared : this.#own
    list.push(link)
    return link
  }

  get requests(): readonly InferenceRequest[] {
    return [...this.#own, ...this.#shared].map(({ request }) => request)
  }

  /** Cancels those that serve nothing else, with which they leave. */
  cancel(cause: TritonError): void {
    cancelAll(this.#own, cause)
  }

  /** The same for those that serve a batch of which nobody is left. */
  cancelShared(cause: TritonError): void {
    cancelAll(this.#shared, cause)
  }
}

function cancelAll(links: LinkedList<NestedLink>, cause: TritonError): void {
  for (let { first } = links; first !== undefined; first = links.first) first.request.cancel(cause)
}

/** The place of one of them. */
export class NestedLink implements Linked<NestedLink> {
  readonly request: InferenceRequest
  list: LinkedList<NestedLink> | undefined
  previous: NestedLink | undefined
  next: NestedLink | undefined

  constructor(request: InferenceRequest) {
    this.request = request
  }

  /** The request has its final answer. */
  leave(): void {
    this.list?.remove(this)
  }
}

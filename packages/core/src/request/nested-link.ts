import type { Linked, LinkedList } from '../util/linked-list.ts'
import type { InferenceRequest } from './inference-request.ts'

/** A request among those that serve the same other request. */
export class NestedLink implements Linked<NestedLink> {
  readonly request: InferenceRequest
  list: LinkedList<NestedLink> | undefined
  previous: NestedLink | undefined
  next: NestedLink | undefined

  constructor(request: InferenceRequest) {
    this.request = request
  }
}

import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { ResponseLine } from './response-line.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * `preserve_ordering`: the requests of another scheduler, answered in the order in which they came. One that fails
 * before it runs, or that its caller gives up, is told so at once.
 */
export class OrderedScheduler implements Scheduler {
  readonly #inner: Scheduler
  readonly #line = new ResponseLine()

  constructor(inner: Scheduler) {
    this.#inner = inner
  }

  enqueue(request: InferenceRequest): void {
    this.#line.join(request)
    this.#inner.enqueue(request)
  }

  withdraw(request: InferenceRequest): boolean {
    return this.#inner.withdraw(request)
  }

  rejectWaiting(reject: (request: InferenceRequest) => void): void {
    this.#inner.rejectWaiting(reject)
  }

  addInstance(instance: ModelInstance): void {
    this.#inner.addInstance(instance)
  }

  removeInstance(instance: ModelInstance): Promise<void> {
    return this.#inner.removeInstance(instance)
  }
}

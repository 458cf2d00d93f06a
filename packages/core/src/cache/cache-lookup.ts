import type { InferenceRequest } from '../request/inference-request.ts'
import type { Outputs } from '../response/inference-response.ts'
import type { Linked, LinkedList } from '../util/linked-list.ts'
import type { LookupOptions } from './response-cache.ts'

/** A request that is looked up, and what came of it. */
export class CacheLookup implements LookupOptions, Linked<CacheLookup> {
  readonly request: InferenceRequest
  readonly key: string
  readonly start: number
  end: number
  /** Whether there is an entry, of whatever use. */
  wasFound = false
  /** What the entry has, if it can be read. */
  outputs: Outputs | undefined
  list: LinkedList<CacheLookup> | undefined
  previous: CacheLookup | undefined
  next: CacheLookup | undefined
  #abort: AbortController | undefined
  #isAborted = false

  constructor(request: InferenceRequest, key: string, start: number) {
    this.request = request
    this.key = key
    this.start = start
    this.end = start
  }

  /** Made when a cache asks for it: most never do. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#isAborted) this.#abort.abort()
    }
    return this.#abort.signal
  }

  /** Tells the cache that nobody waits any more. */
  abort(): void {
    this.#isAborted = true
    this.#abort?.abort()
  }

  /** Whether the entry has every output that the request asks for. */
  get isHit(): boolean {
    const { outputs } = this
    return outputs !== undefined && this.request.requestedOutputs.every((name) => Object.hasOwn(outputs, name))
  }
}

import type { Tensor } from '../../request/tensor.ts'
import type { TracedRequest, TraceRecorder } from '../trace-exporter.ts'
import { TensorSnapshot } from './tensor-snapshot.ts'
import type { TraceBudget } from './trace-budget.ts'

/** A point in time, or a tensor. */
export type TraceEntry = { readonly name: string; readonly time: bigint } | TensorSnapshot

/** What a request was, once the engine had it, and what happened to it. */
export interface RequestEntries {
  readonly id: bigint
  /** Behind how many entries the request is described; undefined when the engine did not take it. */
  facts: { readonly at: number; readonly request: TracedRequest } | undefined
  readonly entries: TraceEntry[]
}

/** A trace that is complete. Whoever has it must `dispose` it. */
export interface RecordedTrace {
  readonly requests: Iterable<RequestEntries>
  /** There was nothing to tell, or it was lost. */
  readonly isEmpty: boolean
  dispose(): void
}

/** Bytes that a point in time takes in memory, about. */
const entrySize = 128

/** Keeps what happens to a client's request and those that serve it until all of them are over. */
export class FileRecorder implements TraceRecorder, RecordedTrace {
  readonly #requests = new Map<bigint, RequestEntries>()
  readonly #budget: TraceBudget
  readonly #onEnd: (trace: RecordedTrace) => void
  #size = 0
  #isLost = false

  constructor(budget: TraceBudget, onEnd: (trace: RecordedTrace) => void) {
    this.#budget = budget
    this.#onEnd = onEnd
  }

  get requests(): Iterable<RequestEntries> {
    return this.#requests.values()
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0
  }

  activity(request: TracedRequest, name: string, time: bigint): void {
    if (!this.#take(entrySize)) return
    const entries = this.#entriesOf(request)
    if (name === 'REQUEST_START') entries.facts = { at: entries.entries.length, request }
    entries.entries.push({ name, time })
  }

  tensor(request: TracedRequest, activity: string, name: string, tensor: Tensor): void {
    if (!this.#take(entrySize + tensor.byteSize)) return
    this.#entriesOf(request).entries.push(new TensorSnapshot(activity, name, tensor))
  }

  contextOf(): string {
    return ''
  }

  end(): void {
    this.#onEnd(this)
  }

  dispose(): void {
    this.#budget.giveBack(this.#size)
    this.#size = 0
    this.#requests.clear()
  }

  /** A trace of which a part is lost is lost. */
  #take(bytes: number): boolean {
    if (this.#isLost) return false
    if (this.#budget.take(bytes)) {
      this.#size += bytes
      return true
    }
    this.#isLost = true
    this.dispose()
    return false
  }

  #entriesOf({ id }: TracedRequest): RequestEntries {
    let entries = this.#requests.get(id)
    if (entries === undefined) {
      entries = { id, facts: undefined, entries: [] }
      this.#requests.set(id, entries)
    }
    return entries
  }
}

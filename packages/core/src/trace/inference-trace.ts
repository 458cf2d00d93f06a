import type { RequestTrace } from '../backend/request-trace.ts'
import type { Tensor } from '../request/tensor.ts'
import type { ActivitySource, TracedRequest } from './trace-exporter.ts'
import type { TraceTree } from './trace-tree.ts'

type Tensors = Iterable<readonly [name: string, tensor: Tensor]>

/**
 * The trace of one request: of a client's, from `server.startTrace`, or of one that serves it. It is complete when the
 * engine is through with all of them and the endpoint has called `release`.
 */
export class InferenceTrace implements RequestTrace, TracedRequest {
  readonly id: bigint
  readonly parentId: bigint
  #modelName = ''
  #modelVersion = 0
  #requestId = ''
  readonly #tree: TraceTree
  /** Requests that the engine has under it: one, unless callers share the trace. */
  #requests = 0
  /** Its backend may still tell when it computed. */
  #isHeld = false
  #end: bigint | undefined

  constructor(tree: TraceTree, parentId: bigint) {
    this.#tree = tree
    this.id = tree.nextId()
    this.parentId = parentId
  }

  get modelName(): string {
    return this.#modelName
  }

  get modelVersion(): number {
    return this.#modelVersion
  }

  get requestId(): string {
    return this.#requestId
  }

  get timestamps(): boolean {
    return this.#tree.timestamps
  }

  get tensors(): boolean {
    return this.#tree.tensors
  }

  get context(): string {
    return this.#tree.contextOf(this)
  }

  /** By what log lines and other systems know the trace: a W3C trace id where there is one, else the number. */
  get traceId(): string {
    return this.#tree.traceId ?? String(this.id)
  }

  report(activity: string, timestampNanoseconds: bigint): void {
    this.#note(activity, timestampNanoseconds, 'backend')
  }

  /** An endpoint says what happens, now: `HTTP_RECV_START` for instance. */
  mark(activity: string): void {
    this.#note(activity, this.#tree.now(), 'endpoint')
  }

  /** The endpoint is through with the client's request. Called once. */
  release(): void {
    this.#tree.letGo()
  }

  /** The trace of a request that serves this one's. */
  spawn(): InferenceTrace {
    return new InferenceTrace(this.#tree, this.id)
  }

  /** The engine takes the request. Times of the engine are those of its clock. */
  begin({ modelName, id }: { readonly modelName: string; readonly id: string }, version: number, time: number): void {
    this.#tree.hold()
    this.#requests++
    this.#end = undefined
    this.#modelName = modelName
    this.#modelVersion = version
    this.#requestId = id
    this.#noteAt('REQUEST_START', time)
  }

  /** The request waits. */
  queued(time: number, inputs: Tensors): void {
    this.#noteAt('QUEUE_START', time)
    this.#noteTensors('TENSOR_QUEUE_INPUT', inputs)
  }

  /**
   * A backend has the request.
   * @param isReported the backend measures: it may tell of its times until `reported`, also when it has answered.
   */
  running(inputs: Tensors, isReported: boolean): void {
    this.#isHeld = isReported
    this.#noteTensors('TENSOR_BACKEND_INPUT', inputs)
  }

  computed(start: number, inputEnd: number, outputStart: number, end: number): void {
    this.#noteAt('COMPUTE_START', start)
    this.#noteAt('COMPUTE_INPUT_END', inputEnd)
    this.#noteAt('COMPUTE_OUTPUT_START', outputStart)
    this.#noteAt('COMPUTE_END', end)
  }

  responded(outputs: Readonly<Record<string, Tensor>>): void {
    if (this.tensors) this.#noteTensors('TENSOR_BACKEND_OUTPUT', Object.entries(outputs))
    // As in Triton, where the endpoint tells: only of what a client asked for.
    if (this.parentId === 0n) this.#note('INFER_RESPONSE_COMPLETE', this.#tree.now(), 'endpoint')
  }

  /** The engine is through with the request. */
  end(): void {
    this.#end = this.#tree.now()
    if (!this.#isHeld) this.#close(this.#end)
  }

  /** A backend that measures has told what it tells. */
  reported(): void {
    this.#isHeld = false
    if (this.#end !== undefined) this.#close(this.#end)
  }

  #close(time: bigint): void {
    if (this.#requests === 0) return
    this.#note('REQUEST_END', time, 'engine')
    this.#requests--
    this.#tree.letGo()
  }

  #noteAt(activity: string, time: number): void {
    if (this.timestamps) this.#note(activity, this.#tree.nanoseconds(time), 'engine')
  }

  #note(activity: string, time: bigint, source: ActivitySource): void {
    if (this.timestamps) this.#tree.activity(this, activity, time, source)
  }

  #noteTensors(activity: string, tensors: Tensors): void {
    if (!this.tensors) return
    for (const [name, tensor] of tensors) this.#tree.tensor(this, activity, name, tensor)
  }
}

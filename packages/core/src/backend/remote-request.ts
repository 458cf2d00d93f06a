import { TritonError } from '../errors.ts'
import type { ParameterValue } from '../request/infer-request.ts'
import type { Tensor } from '../request/tensor.ts'
import type { ExecutionRequest, ResponseContent } from './backend.ts'
import type { RequestFacts } from './request-facts.ts'
import type { RequestTrace } from './request-trace.ts'

/**
 * A request as a thread or a process has it that is not the engine's: every answer is a message. What the engine
 * refuses, a state that the model does not have for instance, ends the request: the refusal would come too late for
 * whoever answers.
 */
export abstract class RemoteRequest implements ExecutionRequest {
  readonly id: string
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly inputs: ReadonlyMap<string, Tensor>
  readonly batchSize: number
  readonly requestedOutputs: readonly string[]
  readonly trace: RequestTrace | undefined
  #isCancelled: boolean
  #isKept = false
  #hasEnded = false
  #abort: AbortController | undefined

  constructor(facts: RequestFacts, inputs: ReadonlyMap<string, Tensor>) {
    this.id = facts.id
    this.correlationId = facts.correlationId
    this.sequenceStart = facts.sequenceStart
    this.sequenceEnd = facts.sequenceEnd
    this.priority = facts.priority
    this.timeoutMicroseconds = facts.timeoutMicroseconds
    this.parameters = facts.parameters
    this.inputs = inputs
    this.batchSize = facts.batchSize
    this.requestedOutputs = facts.requestedOutputs
    this.trace = facts.trace && { ...facts.trace, report: (activity, time) => this.tellActivity(activity, time) }
    this.#isCancelled = facts.isCancelled
  }

  /** Whoever reads the responses takes all of them, unless a subclass counts. */
  room(): Promise<void> | undefined {
    return undefined
  }

  protected abstract tellResponse(response: ResponseContent, final: boolean): void
  protected abstract tellFailure(error: TritonError, final: boolean): void
  protected abstract tellState(output: string, state: Tensor): void
  protected abstract tellActivity(activity: string, timestampNanoseconds: bigint): void
  protected abstract tell(kind: 'end' | 'keep' | 'reschedule'): void
  /** The request is answered, or given back. */
  protected abstract onEnd(): void

  /** Its backend answers after `execute` returned. */
  get isKept(): boolean {
    return this.#isKept
  }

  protected get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#isCancelled) this.#abort.abort()
    }
    return this.#abort.signal
  }

  cancel(): void {
    this.#isCancelled = true
    this.#abort?.abort()
  }

  respond(response: ResponseContent, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectOpen()
    this.tellResponse(response, final)
    if (final) this.#end()
  }

  fail(error: TritonError, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectOpen()
    this.tellFailure(error, final)
    if (final) this.#end()
  }

  end(): void {
    this.#expectOpen()
    this.tell('end')
    this.#end()
  }

  keep(): void {
    this.#isKept = true
    if (!this.#hasEnded) this.tell('keep')
  }

  updateState(output: string, state: Tensor): void {
    this.#expectOpen()
    this.tellState(output, state)
  }

  reschedule(): void {
    this.#expectOpen()
    this.tell('reschedule')
    this.#end()
  }

  /** `execute` failed, or did not keep the request: the engine answers. */
  takeBack(): void {
    if (!this.#hasEnded) this.#end()
  }

  #end(): void {
    this.#hasEnded = true
    this.onEnd()
  }

  #expectOpen(): void {
    if (this.#hasEnded) throw new TritonError('INTERNAL', `backend answered request '${this.id}' twice`)
  }
}

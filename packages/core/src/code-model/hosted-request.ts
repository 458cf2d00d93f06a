import type { ExecutionRequest } from '../backend/backend.ts'
import type { ParameterValue } from '../request/infer-request.ts'
import type { InputValue } from '../request/input-value.ts'
import type { Tensor } from '../request/tensor.ts'
import { HostedSender } from './hosted-sender.ts'
import type { ModelRequest } from './model-request.ts'
import type { RequestHost } from './request-host.ts'

/** A request of the engine, as code sees it. */
export class HostedRequest implements ModelRequest {
  readonly execution: ExecutionRequest
  readonly #host: RequestHost
  #inputs: Record<string, Tensor> | undefined
  #sender: HostedSender | undefined
  #isGivenBack = false

  constructor(execution: ExecutionRequest, host: RequestHost) {
    this.execution = execution
    this.#host = host
  }

  get id(): string {
    return this.execution.id
  }

  get inputs(): Readonly<Record<string, Tensor>> {
    if (this.#inputs === undefined) {
      const inputs: Record<string, Tensor> = {}
      for (const [name, tensor] of this.execution.inputs) inputs[name] = tensor
      this.#inputs = inputs
    }
    return this.#inputs
  }

  get batchSize(): number {
    return this.execution.batchSize
  }

  get requestedOutputs(): readonly string[] {
    return this.execution.requestedOutputs
  }

  get parameters(): Readonly<Record<string, ParameterValue>> {
    return this.execution.parameters
  }

  get correlationId(): bigint | string {
    return this.execution.correlationId
  }

  get sequenceStart(): boolean {
    return this.execution.sequenceStart
  }

  get sequenceEnd(): boolean {
    return this.execution.sequenceEnd
  }

  get priority(): number {
    return this.execution.priority
  }

  get timeoutMicroseconds(): number {
    return this.execution.timeoutMicroseconds
  }

  get isCancelled(): boolean {
    return this.execution.isCancelled
  }

  get signal(): AbortSignal {
    return this.execution.signal
  }

  get traceContext(): string {
    return this.execution.trace?.context ?? ''
  }

  get sender(): HostedSender {
    if (this.#sender === undefined) {
      this.#sender = new HostedSender(this.execution, this.#host)
      this.execution.keep()
    }
    return this.#sender
  }

  updateState(output: string, state: InputValue): void {
    this.execution.updateState(output, this.#host.toState(output, state))
  }

  reschedule(): void {
    this.execution.reschedule()
    this.#isGivenBack = true
  }

  /** Whether nobody has to answer it after its method returned: a sender does, or it runs again. */
  get isTaken(): boolean {
    return this.#sender !== undefined || this.#isGivenBack
  }

  /** Whether an answer is still possible. */
  get isOpen(): boolean {
    return !this.#isGivenBack && !(this.#sender?.hasEnded ?? false)
  }
}

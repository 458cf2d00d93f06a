import type { ExecutionRequest } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { OutputValues } from './model-code.ts'
import type { RequestHost } from './request-host.ts'
import type { ResponseSender, SendOptions } from './response-sender.ts'

/** Answers a request of the engine for code. */
export class HostedSender implements ResponseSender {
  readonly #request: ExecutionRequest
  readonly #host: RequestHost
  #hasEnded = false

  constructor(request: ExecutionRequest, host: RequestHost) {
    this.#request = request
    this.#host = host
  }

  get isCancelled(): boolean {
    return this.#request.isCancelled
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  async send(values: OutputValues, { final = !this.#host.isDecoupled, parameters }: SendOptions = {}): Promise<void> {
    this.#expectOpen()
    if (!final) this.#expectDecoupled()
    this.#request.respond({ outputs: this.#host.toOutputs(values, this.#request), parameters }, { final })
    if (final) this.#hasEnded = true
    else await this.#request.room()
  }

  fail(error: Error, { final = true }: { readonly final?: boolean | undefined } = {}): void {
    this.#expectOpen()
    // Nothing follows the failure of a model that is not decoupled.
    const isLast = final || !this.#host.isDecoupled
    this.#request.fail(this.#host.toError(error), { final: isLast })
    if (isLast) this.#hasEnded = true
  }

  end(): void {
    this.#expectOpen()
    this.#expectDecoupled()
    this.#request.end()
    this.#hasEnded = true
  }

  /** The engine says the same, but of a request in a worker too late for the code. */
  #expectDecoupled(): void {
    if (this.#host.isDecoupled) return
    throw new TritonError(
      'INVALID_ARG',
      `model '${this.#host.model}' is not decoupled and must send one final response`,
    )
  }

  #expectOpen(): void {
    if (!this.#hasEnded) return
    throw new TritonError(
      'INVALID_ARG',
      `request '${this.#request.id}' of model '${this.#host.model}' has ended already`,
    )
  }
}

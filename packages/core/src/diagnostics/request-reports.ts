import { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { diagnostics } from './channels.ts'
import type { RequestMessage } from './messages.ts'

/** Tells monitoring tools and the log what becomes of the requests of a model version. */
export class RequestReports {
  readonly #model: string
  readonly #version: number
  readonly #logger: Logger

  constructor(model: string, version: number, logger: Logger) {
    this.#model = model
    this.#version = version
    this.#logger = logger
  }

  /** What a request is told by; undefined when nobody listens. */
  message({ id, batchSize, startTime, trace, parent }: InferenceRequest): RequestMessage | undefined {
    if (!diagnostics.requestStart.hasSubscribers && !diagnostics.requestEnd.hasSubscribers) return undefined
    return {
      model: this.#model,
      version: this.#version,
      requestId: id,
      batchSize,
      startTime,
      traceId: trace?.traceId,
      parent: parent?.message,
    }
  }

  /** A request was taken. */
  started(message: RequestMessage): void {
    diagnostics.requestStart.publish(message)
  }

  /** @param error what its caller hears instead of the rest of the answer. */
  ended({ id, trace, message }: InferenceRequest, clock: Clock, error: TritonError | undefined): void {
    if (error !== undefined) this.#log(id, error, trace?.traceId)
    if (message === undefined) return
    message.duration = clock.now() - message.startTime
    if (error !== undefined) message.error = error
    diagnostics.requestEnd.publish(message)
  }

  /** A request does not fit. */
  refused(id: string, cause: unknown): void {
    const error = TritonError.from(cause)
    this.#log(id, error, undefined)
    if (!diagnostics.requestRefused.hasSubscribers) return
    diagnostics.requestRefused.publish({ model: this.#model, version: this.#version, requestId: id, error })
  }

  /** As in Triton a verbose message: what clients do wrong is no concern of an operator who does not look for it. */
  #log(id: string, err: TritonError, traceId: string | undefined): void {
    const fields = {
      requestId: id,
      model: this.#model,
      version: this.#version,
      ...(traceId !== undefined && { traceId }),
      err,
    }
    this.#logger.debug(fields, `[request id: ${id || '<id_unknown>'}] Infer failed: ${err.message}`)
  }
}

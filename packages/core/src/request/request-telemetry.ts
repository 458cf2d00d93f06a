import type { RequestMessage } from '../diagnostics/messages.ts'
import type { TritonError } from '../errors.ts'
import type { Execution } from '../instance/execution.ts'
import type { FailureReason } from '../metrics/inference-stats.ts'
import { ResponseMeter } from '../metrics/response-meter.ts'
import type { Outputs } from '../response/inference-response.ts'
import type { InferenceTrace } from '../trace/inference-trace.ts'
import type { InferenceRequest } from './inference-request.ts'
import type { RequestOwner } from './request-owner.ts'

/** What is told of a request beside its answer: to its trace, to monitoring tools, to the statistics of its model. */
export class RequestTelemetry {
  readonly trace: InferenceTrace | undefined
  readonly #request: InferenceRequest
  readonly #owner: RequestOwner
  readonly #arrival: number
  #message: RequestMessage | undefined
  /** Of a decoupled model's request that has begun to run. */
  #meter: ResponseMeter | undefined
  #hasResponded = false
  #failure: TritonError | undefined

  constructor(request: InferenceRequest, owner: RequestOwner, trace: InferenceTrace | undefined) {
    this.trace = trace
    this.#request = request
    this.#owner = owner
    this.#arrival = request.startTime
    if (trace === undefined) return
    trace.begin(request, owner.version, request.startTime)
    trace.queued(request.startTime, request.inputs)
  }

  /** What monitoring tools know it by, when any listens. */
  get message(): RequestMessage | undefined {
    return this.#message
  }

  arrived(): void {
    const { reports } = this.#owner
    this.#message = reports.message(this.#request)
    if (this.#message !== undefined) reports.started(this.#message)
  }

  /** It waits again, as the next of its sequence. */
  queued(): void {
    this.trace?.queued(this.#request.startTime, this.#request.inputs)
  }

  running(batch: Execution): void {
    this.trace?.running(batch.runsBackend ? this.#request.inputs : [], batch.isReported)
    const { signature, stats, clock } = this.#owner
    if (!signature.decoupled || !batch.countsResponses) return
    this.#meter ??= new ResponseMeter(stats.responses, clock)
    this.#meter.begin()
  }

  /** When the outputs of a response are there, where that is counted. */
  outputStart(): number | undefined {
    return this.#meter && this.#owner.clock.now()
  }

  /** A response goes out. */
  sent(outputStart: number | undefined): void {
    if (outputStart !== undefined) this.#meter?.sent(outputStart)
  }

  responded(outputs: Outputs): void {
    this.trace?.responded(outputs)
  }

  /** The caller is about to have a response. */
  delivered(): void {
    const { stats, signature } = this.#owner
    if (!signature.decoupled) return
    stats.responseCount++
    this.#tellsFirst(false)
  }

  /** As in Triton an error is a response, too, in its histogram of the first ones. */
  #tellsFirst(isError: boolean): void {
    const { stats, signature, clock } = this.#owner
    if (!signature.decoupled || this.#hasResponded) return
    this.#hasResponded = true
    stats.latency.first(clock.now() - this.#arrival, isError)
  }

  /** No further response comes. */
  ended(): void {
    this.#meter?.ended()
  }

  /** One response failed; the request goes on. */
  responseFailed(): void {
    this.#tellsFirst(true)
    this.#meter?.responseFailed()
  }

  /** It failed, at whatever stage it is. @param batch that it runs in. */
  failed(reason: FailureReason, batch: Execution | undefined): void {
    this.#tellsFirst(true)
    this.#countFailure(reason, batch)
    this.#meter?.failed()
    if (this.trace !== undefined) batch?.recordFailure?.(this.#request)
  }

  /** Its caller has given it up, or was made to. */
  cancelled(reason: FailureReason, batch: Execution | undefined): void {
    this.#tellsFirst(true)
    this.#countFailure(reason, batch)
    this.#meter?.cancel()
  }

  #countFailure(reason: FailureReason, batch: Execution | undefined): void {
    const request = this.#request
    if (request.isCounted) return
    request.isCounted = true
    const { stats } = batch ?? this.#owner
    stats.recordFailure(reason, this.#owner.clock.now() - request.startTime)
  }

  /** What its caller hears, or has heard, instead of the rest of the answer. */
  failedWith(error: TritonError): void {
    if (this.#request.hasRun) this.#tellsFirst(true)
    this.#failure = error
  }

  /** The engine is through with it. */
  released(isCancelled: boolean): void {
    if (isCancelled) this.#meter?.cancelled()
    this.trace?.end()
  }

  /** Its caller has heard the end. */
  settled(): void {
    this.#owner.reports.ended(this.#request, this.#owner.clock, this.#failure)
  }
}

import { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { requestPrefix } from '../request/validate-request.ts'
import type { Logger } from '../util/logger.ts'
import type { PlannedStep } from './ensemble-plan.ts'
import type { StepRun } from './step-run.ts'

/** What callers of an ensemble and the log are told when something goes wrong. */
export class EnsembleErrors {
  readonly #name: string
  readonly #logger: Logger

  constructor(name: string, logger: Logger) {
    this.#name = name
    this.#logger = logger
  }

  /**
   * What the caller of the ensemble hears of an error, in Triton's words; its cause names the step, as the log does.
   * @param step where it comes from one.
   */
  failure(request: InferenceRequest, error: TritonError, step?: PlannedStep): TritonError {
    const { message, code } = error
    const cause = step === undefined ? error : new TritonError(code, this.#stepText(step, message), { cause: error })
    if (!request.isCancelled) this.#logger.warn({ model: this.#name, requestId: request.id, code }, cause.message)
    return new TritonError(code, `in ensemble '${this.#name}', ${message}`, { cause })
  }

  /** What the caller hears when there is nothing left to run and no response was made. */
  deadlock({ id }: InferenceRequest): TritonError {
    return new TritonError(
      'INVALID_ARG',
      `in ensemble '${this.#name}', ${requestPrefix(id)}unexpected deadlock, at least one output is not set while no ` +
        'more ensemble steps can be made',
    )
  }

  /** As in Triton, the sequence of the first input that has one is used. */
  logContradiction(run: StepRun): void {
    const { correlationId } = run.mark
    this.#log(run, `its inputs belong to different sequences; correlation id '${correlationId}' is used`)
  }

  logLongWait(run: StepRun): void {
    this.#log(run, 'waited 300 s for max_inflight_requests and runs in spite of it')
  }

  #log({ step, ensemble }: StepRun, text: string): void {
    this.#logger.error({ model: this.#name, requestId: ensemble.request.id }, this.#stepText(step, text))
  }

  #stepText({ index, model }: PlannedStep, text: string): string {
    return `ensemble '${this.#name}' step ${index + 1} '${model.name}': ${text}`
  }
}

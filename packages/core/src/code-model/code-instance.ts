import type { BackendInstance, ExecutionRequest } from '../backend/backend.ts'
import type { ExecutionMarks } from '../backend/execution-marks.ts'
import { TritonError } from '../errors.ts'
import type { CodeHost } from './code-host.ts'
import { HostContext } from './host-context.ts'
import { HostedRequest } from './hosted-request.ts'
import type { AnswerStream, ModelAnswer, ModelCode } from './model-code.ts'
import { modelError } from './model-error.ts'
import { RequestHost } from './request-host.ts'

/** An instance of a model whose code runs in this thread. */
export class CodeInstance implements BackendInstance {
  readonly #code: ModelCode
  readonly #host: CodeHost
  readonly #requests: RequestHost

  private constructor(code: ModelCode, host: CodeHost) {
    this.#code = code
    this.#host = host
    this.#requests = new RequestHost(host.config, host.directory)
  }

  /** @throws TritonError for what `initialize` throws. */
  static async open(code: ModelCode, host: CodeHost): Promise<CodeInstance> {
    try {
      await code.initialize?.(new HostContext(host))
    } catch (error) {
      throw modelError(error, host.model, host.directory)
    }
    return new CodeInstance(code, host)
  }

  execute(executions: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> | void {
    const requests = executions.map((execution) => new HostedRequest(execution, this.#requests))
    marks.computeStart()
    return this.#code.execute === undefined ? this.#inferEach(requests, marks) : this.#execute(requests, marks)
  }

  async isReady(): Promise<boolean> {
    return (await this.#code.isReady?.()) ?? true
  }

  async dispose(): Promise<void> {
    const { model, logger, directory } = this.#host
    try {
      await this.#code.finalize?.(new HostContext(this.#host))
    } catch (err) {
      logger.error({ err, model }, `'finalize' failed: ${modelError(err, model, directory).message}`)
    }
  }

  #execute(requests: readonly HostedRequest[], marks: ExecutionMarks): Promise<void> | void {
    const parent = requests.length === 1 ? requests[0]?.execution : undefined
    const answer = (answers: readonly ModelAnswer[] | undefined): void => {
      marks.computeEnd()
      this.#answerAll(requests, answers)
    }
    const fail = (error: unknown): void => {
      for (const request of requests) this.#fail(request, error)
    }
    try {
      const result = this.#code.execute?.(requests, new HostContext(this.#host, parent)) ?? undefined
      if (result instanceof Promise) return result.then((answers) => answer(answers ?? undefined)).catch(fail)
      answer(result)
    } catch (error) {
      fail(error)
    }
  }

  #answerAll(requests: readonly HostedRequest[], answers: readonly ModelAnswer[] | undefined): void {
    if (answers !== undefined && answers.length !== requests.length) {
      throw this.#misuse(`returned ${answers.length} answers for ${requests.length} requests`)
    }
    for (const [i, request] of requests.entries()) this.#answer(request, answers?.[i])
  }

  #answer(request: HostedRequest, answer: ModelAnswer): void {
    try {
      if (request.isTaken) {
        if (answer !== undefined) throw this.#misuse('returned an answer to a request whose sender it has taken')
      } else if (answer instanceof Error) {
        request.execution.fail(this.#requests.toError(answer))
      } else if (answer === undefined) {
        throw this.#misuse('returned no answer to a request and has not taken its sender')
      } else {
        request.execution.respond({ outputs: this.#requests.toOutputs(answer, request.execution) })
      }
    } catch (error) {
      this.#fail(request, error)
    }
  }

  #inferEach(requests: readonly HostedRequest[], marks: ExecutionMarks): Promise<void> | void {
    const pending: Promise<void>[] = []
    for (const request of requests) {
      const work = this.#infer(request)
      if (work !== undefined) pending.push(work)
    }
    if (pending.length === 0) marks.computeEnd()
    else return Promise.all(pending).then(() => marks.computeEnd())
  }

  #infer(request: HostedRequest): Promise<void> | undefined {
    try {
      const result = this.#code.infer?.(request, new HostContext(this.#host, request.execution))
      if (result instanceof Promise) {
        return result.then((answer) => this.#take(request, answer)).catch((error) => this.#fail(request, error))
      }
      return this.#take(request, result)?.catch((error) => this.#fail(request, error))
    } catch (error) {
      this.#fail(request, error)
    }
    return undefined
  }

  #take(request: HostedRequest, answer: ModelAnswer | AnswerStream): Promise<void> | undefined {
    if (isStream(answer)) return this.#stream(request, answer)
    this.#answer(request, answer)
    return undefined
  }

  async #stream(request: HostedRequest, responses: AnswerStream): Promise<void> {
    const { sender } = request
    for await (const response of responses) {
      if (response instanceof Error) sender.fail(response, { final: false })
      else await sender.send(response, { final: false })
      if (sender.isCancelled) break
    }
    sender.end()
  }

  /** A request that was answered already has nothing more to hear, so it is logged. */
  #fail(request: HostedRequest, error: unknown): void {
    const { model, logger } = this.#host
    const told = this.#requests.toError(error)
    if (!(error instanceof TritonError) || !request.isOpen) logger.error({ err: error, model }, told.message)
    if (!request.isOpen) return
    if (request.isTaken) request.sender.fail(told)
    else request.execution.fail(told)
  }

  #misuse(text: string): TritonError {
    return new TritonError('INTERNAL', `model '${this.#host.model}' ${text}`)
  }
}

const isStream = (value: ModelAnswer | AnswerStream): value is AnswerStream =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

import { TritonError } from '@triton-ts/core'
import {
  type ExecutionMarks,
  type ExecutionRequest,
  endError,
  LastLines,
  type ModelContext,
} from '@triton-ts/core/backend'
import { Answerer } from '../messages/answerer.ts'
import { Caller } from '../messages/caller.ts'
import type { ChildCalls, ChildMessage } from '../messages/messages.ts'
import type { Status } from '../messages/model-spec.ts'
import type { ServerCalls } from '../messages/nested-message.ts'
import { toRequestMessage } from '../messages/request-message.ts'
import { Activities } from './activities.ts'
import { ChildHandle } from './child-handle.ts'
import { NestedStreams } from './nested-streams.ts'
import type { ProcessOptions } from './process-options.ts'
import { RunningBatch } from './running-batch.ts'
import { answerQueries, serverCalls } from './server-answers.ts'

/** One process of a model version, from its start to its end. */
export class ModelProcess {
  /** Resolves when it is gone, with what those heard who waited for it. */
  readonly ended: Promise<TritonError>
  readonly #context: ModelContext
  readonly #label: string | undefined
  readonly #child: ChildHandle
  readonly #caller: Caller<ChildCalls>
  readonly #answerer: Answerer<ServerCalls>
  readonly #nested: NestedStreams
  readonly #activities = new Activities()
  readonly #batches = new Map<number, RunningBatch>()
  #lastBatch = 0
  #end: TritonError | undefined
  #status: Status = { memoryUsage: [], metrics: [] }

  private constructor(child: ChildHandle, context: ModelContext, label: string | undefined) {
    const { server, logger, name: model } = context
    this.#context = context
    this.#label = label
    this.#child = child
    this.#caller = new Caller((message) => child.send(message))
    this.#answerer = new Answerer(serverCalls(server), (message) => child.send(message))
    this.#nested = new NestedStreams(server, (message) => child.send(message))
    answerQueries(child.queries, server)
    new LastLines(child.stdout, (line) => logger.info({ model }, line))
    const errors = new LastLines(child.stderr, (line) => logger.warn({ model }, line))
    child.onMessage((message) => this.#take(message))
    this.ended = this.#whenEnded(errors)
  }

  /** @throws TritonError UNAVAILABLE when there cannot be another process. */
  static async start(context: ModelContext, { source, entry, clock }: ProcessOptions): Promise<ModelProcess> {
    try {
      return new ModelProcess(await ChildHandle.start(entry, clock), context, source.label)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new TritonError('UNAVAILABLE', `the process of model '${context.name}' cannot be started: ${why}`, {
        cause,
      })
    }
  }

  /** What its backend told last. */
  get status(): Status {
    return this.#status
  }

  askStatus(): void {
    this.#child.send({ kind: 'askStatus' })
  }

  /** @param activity what the process does meanwhile, for the error that tells of its end. */
  async call<K extends keyof ChildCalls>(
    method: K,
    args: Parameters<ChildCalls[K]>,
    activity: string,
    signal?: AbortSignal,
  ): Promise<ReturnType<ChildCalls[K]>> {
    const end = this.#activities.begin(activity)
    this.#child.hold()
    try {
      return await this.#caller.call(method, args, signal)
    } finally {
      end()
      this.#child.letGo()
    }
  }

  /** Runs a batch on an instance of the process. */
  async execute(
    instance: number,
    name: string,
    requests: readonly ExecutionRequest[],
    marks: ExecutionMarks,
  ): Promise<void> {
    if (this.#end !== undefined) throw this.#end
    const id = ++this.#lastBatch
    const what = requests.length === 1 ? 'a request' : `${requests.length} requests`
    const end = this.#activities.begin(`instance '${name}' ran ${what}`)
    this.#child.hold()
    const batch = new RunningBatch(requests, marks, this.#context.logger, {
      cancel: (request) => this.#child.send({ kind: 'cancel', batch: id, request }),
      unawaited: () => this.#child.letGo(),
      released: () => {
        this.#batches.delete(id)
        end()
      },
    })
    this.#batches.set(id, batch)
    try {
      this.#child.send({ kind: 'execute', instance, batch: id, requests: requests.map(toRequestMessage) })
    } catch (error) {
      batch.fail(TritonError.from(error))
    }
    await batch.executed
  }

  /** Ends it, by force if it does not want to. */
  stop(): Promise<void> {
    return this.#child.stop()
  }

  /** What makes no sense comes from a process whose memory is broken. */
  #take(message: ChildMessage): void {
    try {
      this.#receive(message)
    } catch (err) {
      const { logger, name: model } = this.#context
      logger.error({ err, model }, `the process of model '${model}' sent what makes no sense: it is ended`)
      void this.#child.stop()
    }
  }

  #receive(message: ChildMessage): void {
    switch (message.kind) {
      case 'call':
        void this.#answerer.answer(message)
        break
      case 'abort':
        this.#answerer.abort(message)
        break
      case 'returned':
      case 'threw':
        this.#caller.receive(message)
        break
      case 'batch':
        this.#batches.get(message.batch)?.receive(message.event)
        break
      case 'status':
        this.#status = message.status
        break
      case 'log':
        this.#context.logger[message.level](message.fields, message.message)
        break
      case 'nestedOpen':
        void this.#nested.run(message)
        break
      case 'nestedLeave':
        this.#nested.leave(message.stream)
        break
    }
  }

  async #whenEnded(errors: LastLines): Promise<TritonError> {
    const end = await this.#child.ended
    const what = `model '${this.#context.name}'${this.#label === undefined ? '' : ` (${this.#label})`}`
    const error = endError(what, end, this.#activities.texts, errors.lines)
    this.#end = error
    this.#caller.end(error)
    this.#answerer.abortAll()
    this.#nested.leaveAll()
    for (const batch of [...this.#batches.values()]) batch.fail(error)
    return error
  }
}

import { TritonError } from '@triton-ts/core'
import type { ExecutionMarks, ExecutionRequest, Mortal } from '@triton-ts/core/backend'
import { Answerer, Asker } from '../messages/asker.ts'
import { fromErrorMessage } from '../messages/error-message.ts'
import type { ServerQuestions, WorkerMessage, WorkerQuestions } from '../messages/messages.ts'
import { TensorPacker } from '../messages/packed-tensors.ts'
import { toRequestMessage } from '../messages/request-message.ts'
import { RunningBatch } from './running-batch.ts'
import { forsakenMilliseconds, RunningBatches } from './running-batches.ts'
import { ServerAnswers } from './server-answers.ts'
import { endError, type ThreadEnd } from './thread-end.ts'
import type { WorkerOwner } from './worker-owner.ts'
import { WorkerThread } from './worker-thread.ts'

/** One worker of an instance, from its start to its end. */
export class ModelWorker implements Mortal {
  readonly ended: Promise<TritonError>
  readonly #owner: WorkerOwner
  readonly #thread: WorkerThread
  readonly #asker: Asker<WorkerQuestions>
  readonly #answers: ServerAnswers
  readonly #answerer: Answerer<ServerQuestions>
  readonly #batches: RunningBatches
  #lastBatch = 0
  #endReason: TritonError | undefined
  #end: TritonError | undefined

  constructor(owner: WorkerOwner) {
    const { place, context, maxHeap } = owner
    const { name, version, directory, versionDirectory, logger } = context
    this.#owner = owner
    this.#thread = new WorkerThread(
      name,
      { place, facts: { name, version, directory, versionDirectory } },
      {
        maxHeap,
        hear: (line, stream) => logger[stream === 'out' ? 'info' : 'warn']({ model: name }, line),
      },
    )
    this.#batches = new RunningBatches({
      clock: owner.clock,
      released: () => this.#thread.letGo(),
      forsaken: () => this.#forsaken(),
    })
    this.#asker = new Asker((message, transfer) => this.#thread.send(message, transfer))
    this.#answers = new ServerAnswers(owner.server, ({ batch, request }) => this.#batches.get(batch)?.request(request))
    this.#answerer = new Answerer(this.#answers.answers, (message, transfer) => this.#thread.send(message, transfer))
    this.#thread.onMessages((messages) => {
      for (const message of messages) this.#receive(message)
    })
    this.ended = this.#thread.ended.then((end) => this.#bury(end))
  }

  /**
   * @param signal ends the worker.
   * @throws TritonError of the code, or that tells how the worker ended.
   */
  async ask<K extends keyof WorkerQuestions>(
    question: K,
    argument: Parameters<WorkerQuestions[K]>[0],
    signal?: AbortSignal,
  ): Promise<ReturnType<WorkerQuestions[K]>> {
    const giveUp = (): void => void this.stop()
    this.#thread.hold()
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await this.#asker.ask(question, argument)
    } finally {
      signal?.removeEventListener('abort', giveUp)
      this.#thread.letGo()
    }
  }

  async execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    if (this.#end !== undefined) throw this.#end
    const { context, clock, timeout } = this.#owner
    const id = ++this.#lastBatch
    const packer = new TensorPacker()
    const messages = requests.map((request) => toRequestMessage(request, packer))
    const data = packer.pack()
    const batch = new RunningBatch(requests, marks, context.logger, {
      cancelled: (request) => {
        this.#thread.send({ kind: 'cancel', batch: id, request })
        this.#batches.watch()
      },
      taken: (request) => this.#thread.send({ kind: 'taken', batch: id, request }),
    })
    this.#batches.add(id, batch)
    this.#thread.hold()
    this.#thread.send({ kind: 'execute', batch: id, data, requests: messages }, [data])
    const timer = timeout === 0 ? undefined : clock.schedule(() => this.#expire(), timeout)
    try {
      await batch.executed
    } finally {
      timer?.cancel()
    }
  }

  /** @param reason what those hear who wait for it. Default: that it was ended. */
  async stop(reason?: TritonError): Promise<void> {
    this.#endReason ??= reason
    await this.#thread.terminate()
  }

  #receive(message: WorkerMessage): void {
    switch (message.kind) {
      case 'ask':
      case 'abandon':
        void this.#answerer.receive(message)
        break
      case 'answer':
      case 'refuse':
        this.#asker.receive(message)
        break
      case 'event':
        this.#batches.get(message.batch)?.receive(message.request, message.event)
        this.#batches.settle(message.batch)
        break
      case 'executed':
        this.#batches.get(message.batch)?.return(message.error && fromErrorMessage(message.error))
        this.#batches.settle(message.batch)
        break
      case 'log':
        this.#owner.context.logger[message.level](message.fields, message.message)
        break
      case 'metric':
        this.#owner.metrics.apply(message.change)
        break
    }
  }

  #expire(): void {
    const { timeout, context } = this.#owner
    const text = `model '${context.name}' did not answer within ${timeout / 1000} s, its worker is restarted`
    void this.stop(new TritonError('UNAVAILABLE', text))
  }

  #forsaken(): void {
    const after = `${forsakenMilliseconds / 1000} s after they were cancelled, its worker is restarted`
    void this.stop(new TritonError('CANCELLED', `model '${this.#owner.context.name}' went on with requests ${after}`))
  }

  #bury(end: ThreadEnd): TritonError {
    const error = this.#endReason ?? endError(this.#owner.context, end, this.#batches.areExecuting)
    this.#end = error
    this.#asker.end(error)
    this.#answerer.abandonAll()
    this.#answers.leaveAll()
    this.#batches.failAll(error)
    return error
  }
}

import { type Clock, type Logger, TritonError } from '@triton-ts/core'
import {
  type BackendServer,
  type ExecutionMarks,
  type ExecutionRequest,
  endError,
  LastLines,
  type Mortal,
} from '@triton-ts/core/backend'
import { Executions } from '../execution/executions.ts'
import type { RegionSizes } from '../memory/write-region.ts'
import type { ModelMetrics } from '../metrics/model-metrics.ts'
import { NestedRequests } from '../server/nested-requests.ts'
import { ServerCalls } from '../server/server-calls.ts'
import type { DoneCall } from '../wire/messages.ts'
import { Calls } from './calls.ts'
import type { Child } from './child.ts'
import { Inbox } from './inbox.ts'
import { Link, type SharedFiles } from './link.ts'
import { logMessage } from './log-message.ts'

/** How long a process may go on that nobody waits for. */
const abandonedMilliseconds = 3000

/** What a process is of. */
export interface ProcessOwner {
  readonly model: string
  readonly server: BackendServer
  readonly metrics: ModelMetrics
  readonly clock: Clock
  readonly logger: Logger
  readonly sizes: RegionSizes
}

/** One process of a model instance, from its start to its end. */
export class PythonProcess implements Mortal {
  /** Resolves when it is gone, with what those heard who waited for it. */
  readonly ended: Promise<TritonError>
  readonly #owner: ProcessOwner
  readonly #child: Child
  readonly #link: Link
  readonly #calls = new Calls()
  readonly #executions: Executions
  readonly #nested: NestedRequests
  readonly #inbox: Inbox
  #instance: string | undefined
  #end: TritonError | undefined
  #isAbandoned = false
  /** Why it was ended, where it was. */
  #endedFor: string | undefined

  constructor(child: Child, files: SharedFiles | undefined, owner: ProcessOwner) {
    const { model, clock, logger, sizes } = owner
    this.#owner = owner
    this.#child = child
    this.#link = new Link(child.socket, files, sizes, {
      take: (message, blobs) => this.#inbox.take(message, blobs),
      broken: (err) => this.#broken(err),
    })
    const hold = (): void => child.hold()
    const letGo = (): void => child.letGo()
    const abandoned = (): void => this.#abandon()
    this.#executions = new Executions({ link: this.#link, clock, logger, hold, letGo, abandoned })
    this.#nested = new NestedRequests(owner.server, this.#link, this.#executions)
    this.#inbox = new Inbox({
      calls: this.#calls,
      executions: this.#executions,
      nested: this.#nested,
      serverCalls: new ServerCalls(owner.server, owner.metrics, this.#link),
      metrics: owner.metrics,
      log: (message) => logMessage(message, model, logger),
    })
    new LastLines(child.stdout, (line) => logger.info({ model }, line))
    const errors = new LastLines(child.stderr, (line) => logger.warn({ model }, line))
    this.ended = this.#whenEnded(errors)
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Whether it is gone. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Whether a batch runs; the process may not hear anything else meanwhile. */
  get isBusy(): boolean {
    return this.#executions.isBusy
  }

  /** Whether the model has ever asked for another. */
  get hasNested(): boolean {
    return this.#nested.wasUsed
  }

  /** Whether it has a request that is served by `request`. */
  servedBy(request: ExecutionRequest): boolean {
    return this.#executions.servedBy(request)
  }

  /** @param header of a frame that is not answered, a JSON object. */
  send(header: object): void {
    this.#link.send(JSON.stringify(header))
  }

  /**
   * Calls a hook of the model.
   * @param activity what the process does meanwhile, for the error that tells of its end.
   * @throws TritonError of the model, or that tells how the process ended.
   */
  async call(kind: string, fields: object, activity: string): Promise<DoneCall> {
    if (this.#end !== undefined) throw this.#end
    this.#child.hold()
    try {
      return await this.#calls.call(activity, (id) => this.send({ k: kind, id, ...fields }))
    } finally {
      this.#child.letGo()
    }
  }

  /** The same for a load that may be given up: then the process is ended. */
  async callUnlessAborted(kind: string, fields: object, activity: string, signal: AbortSignal): Promise<DoneCall> {
    const giveUp = (): void => this.kill('its load was given up')
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await this.call(kind, fields, activity)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Runs a batch, see `Executions.execute`. */
  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks, isDecoupled: boolean): Promise<number> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    return this.#executions.execute(requests, marks, isDecoupled)
  }

  /** Ends it, by force if it does not want to. */
  stop(): Promise<void> {
    return this.#child.stop()
  }

  /** It is of this instance from now on. */
  becomes(instance: string): void {
    this.#instance = instance
  }

  /** Ends it at once. @param why is part of the error that tells of its end. */
  kill(why: string): void {
    this.#endedFor ??= why
    this.#child.kill()
  }

  /** The Server did not wait for what it runs; it may still end by itself. */
  #abandon(): void {
    if (this.#isAbandoned) return
    this.#isAbandoned = true
    const timer = this.#owner.clock.schedule(() => this.kill('the Server has stopped'), abandonedMilliseconds)
    void this.ended.then(() => timer.cancel())
  }

  /** What makes no sense comes from a process whose memory is broken, or from a model that writes to descriptor 3. */
  #broken(err: unknown): void {
    const { logger, model } = this.#owner
    logger.error({ err, model }, `the process of ${this.#what} sent what makes no sense: it is ended`)
    this.kill('it sent what makes no sense')
  }

  async #whenEnded(errors: LastLines): Promise<TritonError> {
    const end = await this.#child.ended
    await this.#link.settled()
    const doing = [...this.#calls.activities, ...this.#running()]
    const what = this.#endedFor === undefined ? this.#what : `${this.#what} (${this.#endedFor})`
    const error = endError(what, end, doing, errors.lines)
    // The first line is Triton's.
    const failure = new TritonError('INTERNAL', `Stub process '${this.#instance}' is not healthy.\n${error.message}`)
    this.#end = error
    this.#calls.end(error)
    this.#executions.end(failure)
    this.#nested.end(error)
    this.#link.close()
    return error
  }

  get #what(): string {
    const { model } = this.#owner
    return this.#instance === undefined ? `model '${model}'` : `model instance '${this.#instance}'`
  }

  #running(): string[] {
    const { inFlight } = this.#executions
    if (inFlight === 0) return []
    return [`it ran ${inFlight === 1 ? 'a request' : `${inFlight} requests`}`]
  }
}

import { TritonError } from '@triton-ts/core'
import type { BackendServer, ComputeDurations, ExecutionRequest } from '@triton-ts/core/backend'
import { TurnBudget } from '../inline/turn-budget.ts'
import { NestedInferences } from '../nested/nested-inferences.ts'
import { answerQuery } from '../nested/query.ts'
import { traceActivities } from './abi-numbers.ts'
import type { Binding, HostHandle, InstanceHandle, NativeQuery, NestedRequest } from './binding.ts'
import { CancelWatch } from './cancel-watch.ts'
import { EventQueue } from './event-queue.ts'
import type { EventReceiver } from './event-reader.ts'
import { onExit } from './exit-listener.ts'
import { KeepAlive } from './keep-alive.ts'
import { LibraryLog, type LogRecord } from './library-log.ts'
import { Lingering } from './lingering.ts'
import { Looker } from './looker.ts'
import { Operations } from './operations.ts'
import type { RequestSlot, SlotOwner } from './request-slot.ts'
import { RequestSlots } from './request-slots.ts'
import type { Run } from './run.ts'
import { SubmissionWriter } from './submission-writer.ts'

/** An instance, as the host tells it of its runs. */
export interface Runner {
  /** @param cpuMilliseconds processor time that the library took. */
  executed(cpuMilliseconds: number, error: TritonError | undefined): void
  reportBatch(batchSize: number, durations: ComputeDurations): void
}

const hosts = new WeakMap<Binding, Host>()

/** The addon at work for this JavaScript thread, shared by all Servers in it: requests go out, events come in. */
export class Host implements EventReceiver, SlotOwner {
  readonly binding: Binding
  readonly handle: HostHandle
  readonly operations: Operations
  readonly writer: SubmissionWriter
  readonly log = new LibraryLog()
  readonly lingering = new Lingering()
  readonly looker: Looker
  readonly turn = new TurnBudget()
  readonly #keepAlive: KeepAlive
  readonly #slots = new RequestSlots()
  readonly #cancelWatch = new CancelWatch()
  readonly #runners = new Map<number, Runner>()
  readonly #servers = new Map<number, BackendServer>()
  readonly #inferences: NestedInferences
  #lastId = 0
  #running = 0
  #isClosed = false

  private constructor(binding: Binding) {
    this.binding = binding
    const events = new EventQueue(this)
    this.handle = binding.createHost((numbers, length, values) => events.deliver(numbers, length, values))
    this.#keepAlive = new KeepAlive((alive) => {
      if (!this.#isClosed) binding.keepAlive(this.handle, alive)
    })
    this.operations = new Operations(this.#keepAlive)
    this.writer = new SubmissionWriter((numbers) => binding.setSubmissionBuffer(this.handle, numbers))
    this.looker = new Looker((again) => this.#drain(again))
    this.#inferences = new NestedInferences(this.#keepAlive, (infer, response) =>
      binding.answerInfer(this.handle, infer, response),
    )
    onExit((exitCode) => this.#close(exitCode))
  }

  static of(binding: Binding): Host {
    let host = hosts.get(binding)
    if (host === undefined) {
      host = new Host(binding)
      hosts.set(binding, host)
    }
    return host
  }

  /** A number for a backend, model or instance, which events name it by. */
  nextId(): number {
    return ++this.#lastId
  }

  addServer(model: number, server: BackendServer): void {
    this.#servers.set(model, server)
  }

  removeServer(model: number): void {
    this.#servers.delete(model)
  }

  addRunner(instance: number, runner: Runner): void {
    this.#runners.set(instance, runner)
  }

  /** The instance is finalized. What it has not answered fails. */
  removeRunner(instance: number): void {
    this.#runners.delete(instance)
    for (const slot of this.#slots.ofInstance(instance)) slot.abandon()
  }

  /** Work of the addon that ends with an OPERATION event. */
  async operate<Result, Handle>(
    start: (operation: number) => Handle,
  ): Promise<{ readonly handle: Handle; readonly result: Result }> {
    if (this.#isClosed) throw new TritonError('UNAVAILABLE', 'the server is exiting')
    const { handle, done } = this.operations.start<Result, Handle>(start)
    return { handle, result: await done }
  }

  /** Writes a request down for the coming execution. */
  submit(request: ExecutionRequest, run: Run): void {
    const slot = this.#slots.take(request, run, this)
    run.slots.push(slot)
    slot.isAwaited = true
    this.#keepAlive.add()
    this.#cancelWatch.add(slot)
    this.writer.request(slot.number, request, run.names)
  }

  /**
   * Runs what was submitted, `count` requests, until `executed` is told. The process lives that long, since other requests
   * may wait for the instance. What the addon cannot take ends as a run that failed.
   */
  run(instance: InstanceHandle, id: number, count: number, inline: boolean): void {
    this.#running++
    this.#keepAlive.add()
    try {
      this.binding.execute(instance, id, count, this.writer.take(), inline)
    } catch (error) {
      this.executed(id, 0, TritonError.from(error))
      // The addon ends the requests that it had read, too, which must not reach the next ones of the same numbers.
      this.binding.drain(this.handle, false)
    }
  }

  // What the addon tells

  failed(error: unknown): void {
    this.log.error(error, 'an event of the native backend host was lost')
  }

  slot(number: number): RequestSlot | undefined {
    return this.#slots.find(number)
  }

  operationEnded(operation: number, error: TritonError | undefined, result: unknown): void {
    this.operations.end(operation, error, result)
  }

  executed(instance: number, cpuMilliseconds: number, error: TritonError | undefined): void {
    this.#running--
    this.#keepAlive.remove()
    this.#runners.get(instance)?.executed(cpuMilliseconds, error)
  }

  batchReported(instance: number, batchSize: number, durations: ComputeDurations): void {
    this.#runners.get(instance)?.reportBatch(batchSize, durations)
  }

  logged(record: LogRecord): void {
    this.log.write(record)
  }

  inferRequested(infer: number, model: number, request: NestedRequest): void {
    this.#inferences.start(infer, request, this.#servers.get(model))
  }

  inferCancelled(infer: number): void {
    this.#inferences.cancel(infer)
  }

  inferAnswered(infer: number): void {
    this.#inferences.answered(infer)
  }

  asked(query: number, model: number, request: NativeQuery): void {
    void answerQuery(request, this.#servers.get(model), (json, error) => {
      if (!this.#isClosed) this.binding.answerQuery(this.handle, query, json, error)
    })
  }

  traced(slot: RequestSlot | undefined, activity: number, nanoseconds: number, name: string): void {
    slot?.request?.trace?.report(traceActivities[activity] ?? name, BigInt(nanoseconds))
  }

  // What a slot tells

  cancel(slot: RequestSlot): void {
    if (this.#isClosed) return
    this.#stopWaiting(slot)
    this.binding.cancel(this.handle, slot.number)
  }

  finish(slot: RequestSlot): void {
    this.#stopWaiting(slot)
    if (slot.run?.isDecoupled) this.#slots.giveLater(slot, this.lingering)
    else this.#slots.give(slot)
  }

  lose(slot: RequestSlot): void {
    this.#stopWaiting(slot)
    this.#slots.drop(slot)
  }

  complain(error: unknown, what: string): void {
    this.log.error(error, what)
  }

  #stopWaiting(slot: RequestSlot): void {
    if (!slot.isAwaited) return
    slot.isAwaited = false
    this.#keepAlive.remove()
  }

  /** @returns whether more is expected, and it is worth looking again. */
  #drain(again: boolean): boolean {
    if (this.#isClosed) return false
    this.binding.drain(this.handle, again && this.#running > 0)
    if (this.#running > 0) return again
    // All came: from now on the addon has to wake the event loop again.
    if (again) this.binding.drain(this.handle, false)
    return false
  }

  #close(exitCode: number | undefined): void {
    this.#isClosed = true
    this.binding.closeHost(this.handle, exitCode)
  }
}

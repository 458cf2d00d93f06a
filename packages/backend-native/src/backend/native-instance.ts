import type { TritonError } from '@triton-ts/core'
import type {
  BackendInstance,
  ComputeDurations,
  ExecutionMarks,
  ExecutionRequest,
  InstanceContext,
} from '@triton-ts/core/backend'
import { kindNumber } from '../host/abi-numbers.ts'
import type { InstanceHandle, InstanceSpec, ModelHandle } from '../host/binding.ts'
import type { Host, Runner } from '../host/host.ts'
import type { Lingerer } from '../host/lingering.ts'
import { shortRunMilliseconds } from '../host/looker.ts'
import type { NameTable } from '../host/name-table.ts'
import type { Run } from '../host/run.ts'
import { InlinePolicy } from '../inline/inline-policy.ts'

/** An execution that goes on. */
interface Pending {
  resolve(): void
  reject(error: TritonError): void
}

/** One execution slot of a library. Its runs are numbered as it is, since only one goes on at a time. */
export class NativeInstance implements BackendInstance, Runner, Lingerer {
  readonly reportsStatistics = true
  readonly #host: Host
  readonly #id: number
  readonly #handle: InstanceHandle
  readonly #name: string
  readonly #names: NameTable
  readonly #isDecoupled: boolean
  /** The current run, or the last one while it may still be reported of. */
  #run: Run | undefined
  #pending: Pending | undefined
  #startedAt = 0
  #lastMilliseconds = Number.POSITIVE_INFINITY
  #isLingering = false
  readonly #policy: InlinePolicy
  #isInline = false
  /** Of the inputs of the current run. */
  #bytes = 0
  /** Of the current run, as the library reports it: not where all requests failed. */
  #totalMilliseconds: number | undefined
  #failure: TritonError | undefined

  private constructor(
    host: Host,
    id: number,
    handle: InstanceHandle,
    slot: InstanceContext,
    names: NameTable,
    inline: boolean,
  ) {
    this.#host = host
    this.#id = id
    this.#handle = handle
    this.#name = slot.name
    this.#names = names
    this.#policy = new InlinePolicy(inline)
    this.#isDecoupled = slot.config.modelTransactionPolicy?.decoupled ?? false
  }

  /** @param inline whether runs that are short enough may be in the calling thread. */
  static async open(
    host: Host,
    model: ModelHandle,
    slot: InstanceContext,
    names: NameTable,
    inline: boolean,
  ): Promise<NativeInstance> {
    const id = host.nextId()
    const { handle } = await host.operate((operation) =>
      host.binding.openInstance(model, operation, instanceSpec(id, slot)),
    )
    const instance = new NativeInstance(host, id, handle, slot, names, inline)
    host.addRunner(id, instance)
    return instance
  }

  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> | void {
    this.#submit(requests, this.#begin(marks))
    const { writer, turn } = this.#host
    this.#bytes = writer.bytes
    this.#totalMilliseconds = undefined
    if (!turn.isSpent && this.#policy.accepts(this.#bytes)) this.#runHere(requests.length)
    else return this.#runOnThread(requests.length)
  }

  #runOnThread(count: number): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      this.#pending = { resolve, reject }
    })
    this.#startedAt = performance.now()
    this.#host.run(this.#handle, this.#id, count, false)
    if (this.#lastMilliseconds < shortRunMilliseconds) this.#host.looker.look(this.#startedAt)
    return done
  }

  /** All that the library has to say is heard before the call returns. */
  #runHere(count: number): void {
    this.#isInline = true
    this.#host.run(this.#handle, this.#id, count, true)
    this.#isInline = false
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  executed(cpuMilliseconds: number, error: TritonError | undefined): void {
    const run = this.#run
    this.#policy.note(this.#bytes, cpuMilliseconds, this.#totalMilliseconds, this.#isInline)
    if (this.#isInline) this.#host.turn.spend(this.#totalMilliseconds ?? cpuMilliseconds)
    if (this.#isInline) this.#failure = error
    else this.#lastMilliseconds = performance.now() - this.#startedAt
    for (const slot of run?.slots ?? []) {
      if (slot.run !== run) continue
      if (error === undefined) slot.keep()
      else slot.takeBack()
    }
    if (error === undefined) this.#pending?.resolve()
    else this.#pending?.reject(error)
    this.#pending = undefined
    if (this.#isLingering) return
    this.#isLingering = true
    this.#host.lingering.add(this)
  }

  reportBatch(batchSize: number, durations: ComputeDurations): void {
    this.#run?.marks.reportBatch(batchSize, durations)
    this.#totalMilliseconds = durations.computeInput + durations.computeInfer + durations.computeOutput
  }

  #begin(marks: ExecutionMarks): Run {
    this.#run = {
      instanceId: this.#id,
      instance: this.#name,
      names: this.#names,
      isDecoupled: this.#isDecoupled,
      marks,
      slots: [],
    }
    return this.#run
  }

  #submit(requests: readonly ExecutionRequest[], run: Run): void {
    this.#host.writer.begin()
    try {
      for (const request of requests) this.#host.submit(request, run)
    } catch (error) {
      // A tensor that cannot be packed: the library gets none of them.
      for (const slot of run.slots) slot.takeBack()
      throw error
    }
  }

  forget(): void {
    this.#isLingering = false
    if (this.#pending === undefined) this.#run = undefined
  }

  isReady(): Promise<boolean> {
    return this.#host
      .operate((operation) => this.#host.binding.isReady(this.#handle, operation))
      .then(
        () => true,
        () => false,
      )
  }

  async dispose(): Promise<void> {
    try {
      await this.#host.operate((operation) => this.#host.binding.closeInstance(this.#handle, operation))
    } finally {
      this.#host.removeRunner(this.#id)
    }
  }
}

function instanceSpec(id: number, { name, kind, deviceId, group, hostPolicy }: InstanceContext): InstanceSpec {
  return {
    id,
    name,
    kind: kindNumber(kind),
    device: deviceId,
    passive: group.passive,
    hostPolicyName: hostPolicy.name,
    hostPolicy: JSON.stringify({ [hostPolicy.name]: hostPolicy.settings }),
    profiles: group.profile,
    secondaryDevices: group.secondaryDevices.map((device) => ({ kind: device.kind, id: device.deviceId })),
  }
}

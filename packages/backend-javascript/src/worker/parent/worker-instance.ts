import {
  type BackendInstance,
  type ExecutionMarks,
  type ExecutionRequest,
  Keeper,
  settlesWithin,
} from '@triton-ts/core/backend'
import type { WorkerQuestions } from '../messages/messages.ts'
import { ModelWorker } from './model-worker.ts'
import type { WorkerOwner } from './worker-owner.ts'

/** How long `finalize` may take, and an answer to whether the instance is ready. */
const patienceMilliseconds = { finalize: 10_000, isReady: 5000 } as const

/** How long requests wait for a worker that restarts; those that queued behind a crash did nothing to deserve it. */
const restartPatience = 5000

type InstanceSpec = Parameters<WorkerQuestions['open']>[0]

/** An execution slot in a worker, and in the next one when that has ended. */
export class WorkerInstance implements BackendInstance {
  readonly #owner: WorkerOwner
  readonly #keeper: Keeper<ModelWorker>
  readonly #asksReadiness: boolean

  private constructor(owner: WorkerOwner, spec: InstanceSpec, first: ModelWorker, asksReadiness: boolean) {
    const { context, clock } = owner
    this.#owner = owner
    this.#asksReadiness = asksReadiness
    this.#keeper = new Keeper(first, {
      what: `the worker of instance '${spec.name}'`,
      model: context.name,
      clock,
      logger: context.logger,
      revive: async (signal) => {
        const worker = new ModelWorker(owner)
        await openIn(worker, spec, signal)
        return worker
      },
    })
  }

  /** @param worker has no instance yet. @throws TritonError of the code; the worker is ended then. */
  static async open(
    worker: ModelWorker,
    spec: InstanceSpec,
    owner: WorkerOwner,
    signal: AbortSignal,
  ): Promise<WorkerInstance> {
    return new WorkerInstance(owner, spec, worker, await openIn(worker, spec, signal))
  }

  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    const worker = this.#keeper.current
    return worker === undefined ? this.#executeSoon(requests, marks) : worker.execute(requests, marks)
  }

  /** An `initialize` that hangs does not hold them for ever. */
  async #executeSoon(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    await settlesWithin(this.#keeper.soon(restartPatience), restartPatience, this.#owner.clock)
    return this.#keeper.expect().execute(requests, marks)
  }

  async isReady(): Promise<boolean> {
    const worker = this.#keeper.current
    if (worker === undefined || !this.#asksReadiness) return worker !== undefined
    const answer = worker.ask('isReady', undefined)
    return (await settlesWithin(answer, patienceMilliseconds.isReady, this.#owner.clock)) && answer
  }

  async dispose(): Promise<void> {
    const { clock, context } = this.#owner
    await this.#keeper.stop(async (worker) => {
      const finalized = worker.ask('finalize', undefined)
      if (await settlesWithin(finalized, patienceMilliseconds.finalize, clock)) return finalized
      const seconds = patienceMilliseconds.finalize / 1000
      context.logger.warn(
        { model: context.name },
        `'finalize' of model '${context.name}' is not through after ${seconds} s`,
      )
    })
  }
}

async function openIn(worker: ModelWorker, spec: InstanceSpec, signal: AbortSignal): Promise<boolean> {
  try {
    return await worker.ask('open', spec, signal)
  } catch (error) {
    await worker.stop()
    throw error
  }
}

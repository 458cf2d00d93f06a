import { type Clock, type Logger, type Timer, TritonError } from '@triton-ts/core'
import {
  type BackendInstance,
  type ExecutionMarks,
  type ExecutionRequest,
  Keeper,
  settlesWithin,
} from '@triton-ts/core/backend'
import { Lookahead } from '../execution/lookahead.ts'
import { NotBegun } from '../execution/running-batch.ts'
import type { PythonProcess } from '../process/python-process.ts'

/** How long requests wait for a process that is to start again, before they fail. */
const restartPatience = 5000
/** A model that is asked whether it is ready may be busy. */
const busyPatience = 1000
/** Triton's limit for the answer. */
const readyPatience = 5000

/** What an instance needs of its model. */
export interface InstanceOwner {
  readonly name: string
  readonly clock: Clock
  readonly logger: Logger
  /** Seconds that `execute` may take; undefined: as long as it likes. */
  readonly executeTimeout: number | undefined
  /** Seconds that `finalize` may take. */
  readonly finalizeTimeout: number
}

/** What an instance is. */
export interface InstanceSpec {
  readonly name: string
  readonly isDecoupled: boolean
  /** Whether its process may have batches ahead of their time: no other instance would run them, none is to wait. */
  readonly mayLookAhead: boolean
  /** Starts a process with the instance in it. */
  bringUp(signal: AbortSignal): Promise<StartedInstance>
}

export interface StartedInstance {
  readonly process: PythonProcess
  /** Whether the model has `is_ready`. */
  readonly hasReadiness: boolean
}

/** An execution slot in a process of its own, and in the next one when that has ended. */
export class PythonInstance implements BackendInstance {
  readonly reportsStatistics = true
  readonly #spec: InstanceSpec
  readonly #owner: InstanceOwner
  readonly #keeper: Keeper<PythonProcess>
  readonly #lookahead: Lookahead
  #hasReadiness: boolean
  #asking: Promise<boolean> | undefined

  constructor(first: StartedInstance, spec: InstanceSpec, owner: InstanceOwner) {
    this.#spec = spec
    this.#owner = owner
    this.#hasReadiness = first.hasReadiness
    this.#lookahead = new Lookahead(() => spec.mayLookAhead && this.#keeper.current?.hasNested === false)
    const what = `the process of model instance '${spec.name}'`
    const revive = async (signal: AbortSignal): Promise<PythonProcess> => {
      const started = await spec.bringUp(signal)
      this.#hasReadiness = started.hasReadiness
      return started.process
    }
    this.#keeper = new Keeper(first.process, { ...owner, what, model: owner.name, revive })
  }

  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> | undefined {
    const { current } = this.#keeper
    if (current === undefined || current.hasEnded) return this.#executeLater(current, requests, marks)
    if (this.#lookahead.inFlight > 0) failCircular(current, requests)
    return this.#lookahead.after(this.#executeIn(current, requests, marks), requests)
  }

  /** Never waits behind a long execution. */
  async isReady(): Promise<boolean> {
    const { current } = this.#keeper
    if (current === undefined || current.hasEnded) return false
    if (!this.#hasReadiness) return true
    this.#asking ??= this.#ask(current).finally(() => {
      this.#asking = undefined
    })
    const asking = this.#asking
    if (current.isBusy && !(await settlesWithin(asking, busyPatience, this.#owner.clock))) return true
    return asking
  }

  async dispose(): Promise<void> {
    const { clock, logger, finalizeTimeout, name: model } = this.#owner
    const { name } = this.#spec
    await this.#keeper.stop(async (process) => {
      const finalized = process.call('finalize', {}, 'it finalized')
      if (await settlesWithin(finalized, finalizeTimeout * 1000, clock)) await finalized
      else {
        logger.warn(
          { model },
          `model instance '${name}' does not finalize within ${finalizeTimeout} s: its process is ended`,
        )
        process.kill(`it did not finalize within ${finalizeTimeout} s`)
      }
    })
  }

  /** @param ended what the keeper has not yet taken for gone. */
  async #executeLater(
    ended: PythonProcess | undefined,
    requests: readonly ExecutionRequest[],
    marks: ExecutionMarks,
  ): Promise<void> {
    await ended?.ended
    await this.#executeIn(await this.#keeper.soon(restartPatience), requests, marks)
  }

  async #executeIn(
    process: PythonProcess,
    requests: readonly ExecutionRequest[],
    marks: ExecutionMarks,
  ): Promise<number> {
    const executing = process.execute(requests, marks, this.#spec.isDecoupled)
    const timer = this.#limit(process)
    try {
      return await executing
    } catch (error) {
      if (!(error instanceof NotBegun)) throw error
    } finally {
      timer?.cancel()
    }
    return this.#executeIn(await this.#successorOf(process, requests), requests, marks)
  }

  /** Ends the process when it is at a batch for too long. */
  #limit(process: PythonProcess): Timer | undefined {
    const { executeTimeout: seconds, clock } = this.#owner
    if (seconds === undefined) return undefined
    return clock.schedule(() => process.kill(`execute took longer than ${seconds} s`), seconds * 1000)
  }

  /** @throws TritonError when there is none soon; the requests, which may be kept, have heard it then. */
  async #successorOf(process: PythonProcess, requests: readonly ExecutionRequest[]): Promise<PythonProcess> {
    await process.ended
    try {
      return await this.#keeper.soon(restartPatience)
    } catch (error) {
      for (const request of requests) request.fail(TritonError.from(error))
      throw error
    }
  }

  async #ask(process: PythonProcess): Promise<boolean> {
    const asked = process.call('ready', {}, 'it told whether it is ready')
    if (!(await settlesWithin(asked, readyPatience, this.#owner.clock))) return false
    return (await asked).ready ?? false
  }
}

/**
 * A request that serves one of those that the process runs would wait for it there for ever. The engine sees to that
 * as long as it knows the instance to be busy.
 */
function failCircular(process: PythonProcess, requests: readonly ExecutionRequest[]): void {
  for (const request of requests) {
    if (request.parent === undefined || !process.servedBy(request)) continue
    throw new TritonError('UNAVAILABLE', 'the only instance of the model runs what waits for this request')
  }
}

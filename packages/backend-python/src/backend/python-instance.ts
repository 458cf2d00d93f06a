import type { Clock, Logger } from '@triton-ts/core'
import {
  type BackendInstance,
  type ExecutionMarks,
  type ExecutionRequest,
  Keeper,
  settlesWithin,
} from '@triton-ts/core/backend'
import type { PythonProcess } from '../process/python-process.ts'

/** How long requests wait for a process that is to start again, before they fail. */
const restartPatience = 5000
/** A model that is asked whether it is ready may be busy. */
const busyPatience = 1000

/** What an instance needs of its model. */
export interface InstanceOwner {
  readonly name: string
  readonly clock: Clock
  readonly logger: Logger
  /** Seconds that `execute` may take; undefined: as long as it likes. */
  readonly executeTimeout: number | undefined
  /** Seconds that other hooks may take, at the end and when the model is asked whether it is ready. */
  readonly finalizeTimeout: number
}

/** What an instance is. */
export interface InstanceSpec {
  readonly name: string
  readonly isDecoupled: boolean
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
  #hasReadiness: boolean
  #asking: Promise<boolean> | undefined

  constructor(first: StartedInstance, spec: InstanceSpec, owner: InstanceOwner) {
    this.#spec = spec
    this.#owner = owner
    this.#hasReadiness = first.hasReadiness
    const what = `the process of model instance '${spec.name}'`
    const revive = async (signal: AbortSignal): Promise<PythonProcess> => {
      const started = await spec.bringUp(signal)
      this.#hasReadiness = started.hasReadiness
      return started.process
    }
    this.#keeper = new Keeper(first.process, { ...owner, what, model: owner.name, revive })
  }

  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    const { current } = this.#keeper
    if (current === undefined || current.hasEnded) return this.#executeLater(current, requests, marks)
    return this.#executeIn(current, requests, marks)
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
    return this.#executeIn(await this.#keeper.soon(restartPatience), requests, marks)
  }

  #executeIn(process: PythonProcess, requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    const executing = process.execute(requests, marks, this.#spec.isDecoupled)
    const { executeTimeout: seconds, clock } = this.#owner
    if (seconds === undefined) return executing
    const timer = clock.schedule(() => process.kill(`execute took longer than ${seconds} s`), seconds * 1000)
    return executing.finally(() => timer.cancel())
  }

  async #ask(process: PythonProcess): Promise<boolean> {
    const { clock, finalizeTimeout } = this.#owner
    const asked = process.call('ready', {}, 'it told whether it is ready')
    if (!(await settlesWithin(asked, finalizeTimeout * 1000, clock))) return false
    return (await asked).ready ?? false
  }
}

import { type Clock, type Logger, type Timer, TritonError } from '@triton-ts/core'
import type { ModelProcess } from './model-process.ts'
import { RestartDelay } from './restart-delay.ts'

/** What a keeper needs to know of its model. */
export interface KeptModel {
  readonly name: string
  readonly clock: Clock
  readonly logger: Logger
  /** Starts a process and brings the model up in it. The signal is aborted when it is not wanted any more. */
  revive(signal: AbortSignal): Promise<ModelProcess>
}

/** Sees to it that a model has a process: starts another one, after a while, when one has ended. */
export class ProcessKeeper {
  readonly #model: KeptModel
  readonly #delay = new RestartDelay()
  readonly #stopping = new AbortController()
  readonly #watching: Promise<void>
  #current: ModelProcess | undefined
  #restartAt = 0
  #timer: Timer | undefined
  #wake: () => void = () => {}
  #restarts = 0

  /** @param first is up. */
  constructor(first: ModelProcess, model: KeptModel) {
    this.#model = model
    this.#watching = this.#watch(first)
  }

  /** Undefined while there is none that serves. */
  get current(): ModelProcess | undefined {
    return this.#current
  }

  /** @throws TritonError UNAVAILABLE while there is none. */
  expect(): ModelProcess {
    if (this.#current !== undefined) return this.#current
    const seconds = Math.max(0, Math.ceil((this.#restartAt - this.#model.clock.now()) / 1000))
    const when = seconds === 0 ? 'restarts now' : `restarts in ${seconds} s`
    throw new TritonError('UNAVAILABLE', `the process of model '${this.#model.name}' is down, it ${when}`)
  }

  /**
   * From now on no other process is started. Resolves when there is none.
   * @param last is done with the process that serves before it ends; what it throws is thrown then.
   */
  async stop(last: (process: ModelProcess) => Promise<void>): Promise<void> {
    this.#stopping.abort()
    this.#timer?.cancel()
    this.#wake()
    const current = this.#current
    try {
      if (current !== undefined) await last(current)
    } finally {
      await current?.stop()
      await this.#watching
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #watch(first: ModelProcess): Promise<void> {
    const { name: model, clock, logger } = this.#model
    for (let next: ModelProcess | undefined = first; next !== undefined; next = await this.#next()) {
      this.#current = next
      if (this.#isStopping) void next.stop()
      this.#delay.up(clock.now())
      const { message } = await next.ended
      this.#current = undefined
      if (!this.#isStopping) logger.error({ model }, message)
    }
  }

  async #next(): Promise<ModelProcess | undefined> {
    const { name: model, clock, logger } = this.#model
    for (;;) {
      await this.#pause(this.#delay.down(clock.now()))
      if (this.#isStopping) return undefined
      this.#restarts++
      logger.warn({ model, restarts: this.#restarts }, `restarting the process of model '${model}'`)
      try {
        return await this.#model.revive(this.#stopping.signal)
      } catch (err) {
        if (!this.#isStopping) logger.error({ err, model }, `the process of model '${model}' did not restart`)
      }
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#model
    if (this.#isStopping) return
    this.#restartAt = clock.now() + milliseconds
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = clock.schedule(resolve, milliseconds)
    })
  }
}

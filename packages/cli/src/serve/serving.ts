import { type Server, systemClock, type Timer, TritonError } from '@triton-ts/core'
import type { HttpService } from '@triton-ts/http-adapter/node'
import { failure } from './failure.ts'
import type { Address } from './settings.ts'

/** A running server process: the engine and its endpoints. */
export class Serving {
  readonly server: Server
  readonly #http: HttpService | undefined
  readonly #metrics: HttpService | undefined
  readonly #exitTimeout: number

  constructor(server: Server, http: HttpService | undefined, metrics: HttpService | undefined, exitTimeout: number) {
    this.server = server
    this.#http = http
    this.#metrics = metrics
    this.#exitTimeout = exitTimeout
  }

  /** Where HTTP is served, with the real port; undefined with `--allow-http=false`. */
  get http(): Address | undefined {
    return this.#http && { host: this.#http.address, port: this.#http.port }
  }

  /** Where metrics are served, with the real port; undefined with `--allow-metrics=false`. */
  get metrics(): Address | undefined {
    return this.#metrics && { host: this.#metrics.address, port: this.#metrics.port }
  }

  /**
   * Takes no more connections, waits for what runs, stops the engine, and the metrics last.
   * @throws Error when that takes longer than the exit timeout.
   */
  async stop(): Promise<void> {
    let timer: Timer | undefined
    const expired = new Promise<never>((_, reject) => {
      const error = new TritonError('INTERNAL', 'Exit timeout expired. Exiting immediately.')
      timer = systemClock.schedule(() => reject(error), this.#exitTimeout * 1000)
    })
    try {
      await Promise.race([this.#drain(), expired])
    } catch (error) {
      throw failure('stopping server', error)
    } finally {
      timer?.cancel()
      await this.#metrics?.close({ timeout: 0 })
    }
  }

  async #drain(): Promise<void> {
    // A client that waits for a long load would hold its connection until the time is up.
    this.server.stopLoading()
    await this.#http?.close({ timeout: this.#exitTimeout })
    await this.server.stop()
  }
}

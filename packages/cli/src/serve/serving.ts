import { onnx } from '@triton-ts/backend-onnx'
import { Server, systemClock, type Timer, TritonError } from '@triton-ts/core'
import { serveHttp, serveMetrics } from '@triton-ts/http-adapter/node'
import { identity } from '../identity-backend.ts'
import type { Log } from './log.ts'
import { modelTable } from './model-table.ts'
import type { Address, ServeSettings } from './settings.ts'
import { StartupStates } from './startup-states.ts'

interface Endpoint {
  readonly address: string
  readonly port: number
  close(options?: { timeout?: number }): Promise<void>
}

/** A running server process: the engine and its endpoints. */
export class Serving {
  readonly server: Server
  readonly #http: Endpoint | undefined
  readonly #metrics: Endpoint | undefined
  readonly #exitTimeout: number

  constructor(server: Server, http: Endpoint | undefined, metrics: Endpoint | undefined, exitTimeout: number) {
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
   * @throws TritonError INTERNAL when that takes longer than the exit timeout.
   */
  async stop(): Promise<void> {
    let timer: Timer | undefined
    const expired = new Promise<never>((_, reject) => {
      const error = new TritonError('INTERNAL', 'Exit timeout expired. Exiting immediately.')
      timer = systemClock.schedule(() => reject(error), this.#exitTimeout * 1000)
    })
    try {
      await Promise.race([this.#drain(), expired])
    } finally {
      timer?.cancel()
      await this.#metrics?.close({ timeout: 0 })
    }
  }

  async #drain(): Promise<void> {
    await this.#http?.close({ timeout: this.#exitTimeout })
    await this.server.stop()
  }
}

/**
 * Loads the models, then opens the endpoints, as tritonserver does.
 * @param signal Aborting it gives the loading up.
 * @throws TritonError
 */
export async function startServing(settings: ServeSettings, log: Log, signal?: AbortSignal): Promise<Serving> {
  const server = new Server({ ...settings.server, backends: [onnx(), identity()], logger: log })
  let http: Endpoint | undefined
  try {
    await load(server, log, signal)
    http = settings.http && (await open('HTTP service', settings.http, serveHttp(server, settings.http)))
    if (http !== undefined) log.info({ module: 'http' }, `Started HTTPService at ${http.address}:${http.port}`)
    const metrics =
      settings.metrics && (await open('Metrics service', settings.metrics, serveMetrics(server, settings.metrics)))
    if (metrics !== undefined) {
      log.info({ module: 'metrics' }, `Started Metrics Service at ${metrics.address}:${metrics.port}`)
    }
    return new Serving(server, http, metrics, settings.exitTimeout)
  } catch (error) {
    await Promise.allSettled([http?.close({ timeout: 0 }), server.stop()])
    throw error
  }
}

/** Starts the engine, and prints the table of models whether or not all of them could be loaded. */
async function load(server: Server, log: Log, signal: AbortSignal | undefined): Promise<void> {
  const states = new StartupStates(server)
  try {
    await server.start({ signal })
  } finally {
    log.table(modelTable(states.entries()))
  }
}

async function open(service: string, { host, port }: Address, opening: Promise<Endpoint>): Promise<Endpoint> {
  try {
    return await opening
  } catch (error) {
    const inUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const text = inUse ? `Socket '${host}:${port}' already in use` : (error as Error).message
    throw new TritonError('UNAVAILABLE', `failed to start ${service}: ${text}`, { cause: error })
  }
}

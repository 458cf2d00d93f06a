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
      throw failure('stopping server', TritonError.from(error))
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
 * @throws Error with tritonserver's text, and the TritonError as its cause.
 */
export async function startServing(settings: ServeSettings, log: Log, signal?: AbortSignal): Promise<Serving> {
  const server = new Server({ ...settings.server, backends: [onnx(), identity()], logger: log })
  let http: Endpoint | undefined
  try {
    await load(server, log, signal)
    http = settings.http && (await open('HTTP', settings.http, serveHttp(server, settings.http)))
    const metrics = settings.metrics && (await open('Metrics', settings.metrics, serveMetrics(server, settings.metrics)))
    if (http !== undefined) log.info({ module: 'http' }, `Started HTTPService at ${http.address}:${http.port}`)
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
  } catch (error) {
    throw failure('creating server', TritonError.from(error))
  } finally {
    log.table(modelTable(states.entries()))
  }
}

/** The port of an endpoint is taken. */
export class BusyPortError extends Error {
  override readonly name = 'BusyPortError'
  readonly port: number
  /** The flag that chooses another. */
  readonly flag: string

  constructor(message: string, port: number, flag: string) {
    super(message)
    this.port = port
    this.flag = flag
  }
}

async function open(service: string, { host, port }: Address, opening: Promise<Endpoint>): Promise<Endpoint> {
  const doing = `starting ${service} service`
  try {
    return await opening
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') throw failure(doing, new TritonError('UNAVAILABLE', message, { cause: error }))
    const text = `${doing}: Unavailable - Socket '${host}:${port}' already in use`
    throw new BusyPortError(text, port, `--${service.toLowerCase()}-port`)
  }
}

/** `creating server: Internal - failed to load all models`, as tritonserver says it. */
const failure = (doing: string, cause: TritonError): Error =>
  new Error(`${doing}: ${cause.reason.replace(': ', ' - ')}`, { cause })

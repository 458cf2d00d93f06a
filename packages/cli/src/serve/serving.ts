import { type Server, systemClock, type Timer, TritonError } from '@triton-ts/core'
import type { GrpcService } from '@triton-ts/grpc-adapter'
import type { HttpService } from '@triton-ts/http-adapter/node'
import type { Address } from './address.ts'
import { failure } from './failure.ts'

/** What listens; each where it was asked for. */
export interface Endpoints {
  readonly http: HttpService | undefined
  readonly grpc: GrpcService | undefined
  readonly metrics: HttpService | undefined
}

/** A running server process: the engine and its endpoints. */
export class Serving {
  readonly server: Server
  readonly #endpoints: Endpoints
  readonly #exitTimeout: number

  constructor(server: Server, endpoints: Endpoints, exitTimeout: number) {
    this.server = server
    this.#endpoints = endpoints
    this.#exitTimeout = exitTimeout
  }

  /** Where HTTP is served, with the real port; undefined with `--allow-http=false`. */
  get http(): Address | undefined {
    return addressOf(this.#endpoints.http)
  }

  /** Where gRPC is served, with the real port; undefined with `--allow-grpc=false`. */
  get grpc(): Address | undefined {
    return addressOf(this.#endpoints.grpc)
  }

  /** Where metrics are served, with the real port; undefined with `--allow-metrics=false`. */
  get metrics(): Address | undefined {
    return addressOf(this.#endpoints.metrics)
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
      await this.#endpoints.metrics?.close({ timeout: 0 })
    }
  }

  async #drain(): Promise<void> {
    // A client that waits for a long load would hold its connection until the time is up.
    this.server.stopLoading()
    const { http, grpc } = this.#endpoints
    const timeout = this.#exitTimeout
    await Promise.all([http?.close({ timeout }), grpc?.close({ timeout })])
    await this.server.stop()
  }
}

function addressOf(service: { readonly address: string; readonly port: number } | undefined): Address | undefined {
  return service && { host: service.address, port: service.port }
}

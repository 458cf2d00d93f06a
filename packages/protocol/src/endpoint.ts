import type { AddressInfo, Server } from 'node:net'
import { TritonError } from '@triton-ts/core'

/** Where an endpoint listens. */
export interface EndpointAddress {
  /** 0 takes any free port. */
  readonly port: number
  readonly host: string
}

/** What listens for clients, from `listen` to `close`. */
export abstract class Endpoint {
  readonly #net: Server
  #closed: Promise<void> | undefined

  constructor(net: Server) {
    this.#net = net
  }

  /** The port that it listens at. */
  get port(): number {
    return this.#info.port
  }

  /** The address that it listens at. */
  get address(): string {
    return this.#info.address
  }

  get #info(): AddressInfo {
    const info = this.#net.address()
    if (info === null || typeof info === 'string') throw new TritonError('UNAVAILABLE', 'the endpoint is closed')
    return info
  }

  /**
   * Takes no more connections and waits for what runs; what is left after `timeout` seconds is cut. Later calls return the
   * first one's promise.
   * @param timeout default 30.
   */
  close({ timeout = 30 }: { readonly timeout?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.drain(timeout)
    return this.#closed
  }

  /** `close()` with the default timeout. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  protected get isClosing(): boolean {
    return this.#closed !== undefined
  }

  protected abstract drain(timeout: number): Promise<void>

  /** @throws TritonError UNAVAILABLE where nothing can listen, for instance because the port is taken. */
  protected listenAt({ port, host }: EndpointAddress): Promise<void> {
    return new Promise((resolve, reject) => {
      // Stays on: a connection that cannot be accepted later, for want of descriptors, is no reason to fall.
      this.#net.on('error', (error: NodeJS.ErrnoException) => {
        const text =
          error.code === 'EADDRINUSE'
            ? `Socket '${host}:${port}' already in use `
            : `failed to listen at '${host}:${port}': ${error.message}`
        reject(new TritonError('UNAVAILABLE', text, { cause: error }))
      })
      this.#net.listen(port, host, resolve)
    })
  }
}

import type { Server } from '@triton-ts/core'
import { GrpcError } from '../transport/grpc-status.ts'
import type { MessageParts, StreamCall, StreamMethod } from '../transport/method.ts'

/** What may change whether the server is ready. */
const events = ['stateChange', 'modelReady', 'modelUnavailable'] as const

/** `Watch`: the status now, and then each time it changes, for as long as the client listens. */
export class HealthWatch<Status> implements StreamMethod {
  readonly kind = 'stream'
  readonly isEndless = true
  readonly #server: Server
  readonly #status: () => Promise<Status>
  readonly #encode: (status: Status) => MessageParts

  /** @param status the status now. */
  constructor(server: Server, status: () => Promise<Status>, encode: (status: Status) => MessageParts) {
    this.#server = server
    this.#status = status
    this.#encode = encode
  }

  async handle(call: StreamCall): Promise<void> {
    const { done } = await call.requests.next()
    if (done) throw new GrpcError('INVALID_ARGUMENT', 'a watch begins with a request')
    const { signal } = call
    let told: Status | undefined
    let change: Promise<void>
    let changed = (): void => {}
    const next = (): void => {
      changed()
      change = new Promise((resolve) => {
        changed = resolve
      })
    }
    next()
    for (const event of events) this.#server.on(event, next)
    signal.addEventListener('abort', next)
    try {
      while (!signal.aborted) {
        // Taken first: what changes while the status is asked for is seen in the next round.
        const awaited = change!
        const status = await this.#status()
        if (status !== told) call.send(this.#encode(status))
        told = status
        await awaited
      }
    } finally {
      for (const event of events) this.#server.off(event, next)
      signal.removeEventListener('abort', next)
    }
  }
}

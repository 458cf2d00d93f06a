import type { Executions } from '../execution/executions.ts'
import type { ModelMetrics } from '../metrics/model-metrics.ts'
import type { NestedRequests } from '../server/nested-requests.ts'
import type { ServerCalls } from '../server/server-calls.ts'
import type { ChildMessage, LogMessage } from '../wire/messages.ts'
import type { Calls } from './calls.ts'

/** Who takes what. */
export interface Takers {
  readonly calls: Calls
  readonly executions: Executions
  readonly nested: NestedRequests
  readonly serverCalls: ServerCalls
  readonly metrics: ModelMetrics
  log(message: LogMessage): void
}

/** Hands what a process sends to whom it is for. */
export class Inbox {
  readonly #takers: Takers

  constructor(takers: Takers) {
    this.#takers = takers
  }

  /** @returns a promise while the next frame has to wait. */
  take(message: ChildMessage, blobs: Buffer): Promise<void> | undefined {
    const { calls, executions, nested, serverCalls, metrics, log } = this.#takers
    switch (message.k) {
      case 'executed':
        return executions.executed(message, blobs)
      case 'send':
        return executions.sent(message, blobs)
      case 'reschedule':
        executions.request(message.s)?.reschedule()
        break
      case 'release':
        executions.request(message.s)?.released()
        break
      case 'trace':
        executions.request(message.s)?.trace(message)
        break
      case 'done_call':
        calls.done(message)
        break
      case 'nested':
        return nested.ask(message, blobs)
      case 'nested_cancel':
        nested.cancel(message.id)
        break
      case 'nested_credit':
        nested.credit(message.id, message.n)
        break
      case 'call':
        void serverCalls.answer(message)
        break
      case 'metric':
        metrics.operate(message.ops)
        break
      case 'log':
        log(message)
        break
      case 'free':
        break
    }
    return undefined
  }
}

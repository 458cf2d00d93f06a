import type { Outputs } from '@triton-ts/core'
import type { CodeServer, ExecutionRequest, NestedCall } from '@triton-ts/core/backend'
import type { Answers } from '../messages/asker.ts'
import type { ServerQuestions } from '../messages/messages.ts'
import { fromNestedMessage, type NestedMessage, type RequestPlace } from '../messages/nested-message.ts'
import { type PackedTensors, packTensors } from '../messages/packed-tensors.ts'

interface OpenStream {
  readonly responses: AsyncIterableIterator<Outputs>
  readonly controller: AbortController
}

/** What the code in one worker asks of the Server, answered. */
export class ServerAnswers {
  readonly #server: CodeServer
  readonly #requestAt: (place: RequestPlace) => ExecutionRequest | undefined
  readonly #streams = new Map<number, OpenStream>()

  /** @param requestAt the request of the engine that the worker means. */
  constructor(server: CodeServer, requestAt: (place: RequestPlace) => ExecutionRequest | undefined) {
    this.#server = server
    this.#requestAt = requestAt
  }

  readonly answers: Answers<ServerQuestions> = {
    infer: async (call, signal) => pack(await this.#server.infer(this.#toCall(call, signal))),
    next: ({ stream, call }, signal) => this.#next(stream, call, signal),
    cancel: async (stream) => this.#streams.get(stream)?.controller.abort(),
    leave: async (stream) => this.#leave(stream),
    isModelReady: ({ model, version }) => this.#server.isModelReady(model, version),
    load: ({ model, options }, signal) => this.#server.load(model, { ...options, signal }),
    unload: (model) => this.#server.unload(model),
  }

  /** The worker is gone: its requests are cancelled. */
  leaveAll(): void {
    for (const stream of this.#streams.keys()) this.#leave(stream)
  }

  #leave(id: number): void {
    this.#streams.get(id)?.controller.abort()
    this.#streams.delete(id)
  }

  async #next(id: number, call: NestedMessage | undefined, signal: AbortSignal): Promise<PackedTensors | undefined> {
    if (call !== undefined) this.#open(id, call, signal)
    const stream = this.#streams.get(id)
    try {
      const next = await stream?.responses.next()
      if (next !== undefined && !next.done) return pack(next.value)
    } catch (error) {
      this.#streams.delete(id)
      throw error
    }
    this.#streams.delete(id)
    return undefined
  }

  /** The signal is that of the first question only: what comes later is told by `leave`. */
  #open(id: number, call: NestedMessage, signal: AbortSignal): void {
    const controller = new AbortController()
    signal.addEventListener('abort', () => controller.abort(), { once: true })
    this.#streams.set(id, { controller, responses: this.#server.stream(this.#toCall(call, controller.signal)) })
  }

  #toCall(message: NestedMessage, signal: AbortSignal): NestedCall {
    const { model, options, parent } = message
    return {
      model,
      inputs: fromNestedMessage(message),
      options: { ...options, signal },
      parent: parent && this.#requestAt(parent),
    }
  }
}

const pack = (outputs: Outputs) => packTensors(Object.entries(outputs))

import type { LoadOptions, Outputs } from '@triton-ts/core'
import type { CodeServer, ExecutionRequest, NestedCall } from '@triton-ts/core/backend'
import type { Asker } from '../messages/asker.ts'
import type { ServerQuestions } from '../messages/messages.ts'
import { type NestedMessage, type RequestPlace, toNestedMessage } from '../messages/nested-message.ts'
import { type PackedTensors, unpackTensors } from '../messages/packed-tensors.ts'
import { ThreadRequest } from './thread-request.ts'

/** The Server as code in a worker asks it. */
export class RemoteServer implements CodeServer {
  readonly #asker: Asker<ServerQuestions>
  #lastStream = 0

  constructor(asker: Asker<ServerQuestions>) {
    this.#asker = asker
  }

  async infer(call: NestedCall): Promise<Outputs> {
    const message = toNestedMessage(call, placeOf(call.parent))
    return toOutputs(await this.#asker.ask('infer', message, ways(message, call)))
  }

  async *stream(call: NestedCall): AsyncIterableIterator<Outputs> {
    const stream = ++this.#lastStream
    const message = toNestedMessage(call, placeOf(call.parent))
    const { signal } = call.options
    let hasEnded = false
    const tell = (question: 'cancel' | 'leave'): void => void this.#asker.ask(question, stream).catch(() => {})
    const cancel = (): void => tell('cancel')
    // With the first question goes the signal as it is then.
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      let next = await this.#asker.ask('next', { stream, call: message }, ways(message, call))
      while (next !== undefined) {
        yield toOutputs(next)
        next = await this.#asker.ask('next', { stream, call: undefined })
      }
      hasEnded = true
    } catch (error) {
      hasEnded = true
      throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
      if (!hasEnded) tell('leave')
    }
  }

  isModelReady(model: string, version: number): Promise<boolean> {
    return this.#asker.ask('isModelReady', { model, version })
  }

  load(model: string, { signal, ...options }: LoadOptions = {}): Promise<void> {
    return this.#asker.ask('load', { model, options: structuredClone(options) }, { signal })
  }

  unload(model: string): Promise<void> {
    return this.#asker.ask('unload', model)
  }
}

const placeOf = (parent: ExecutionRequest | undefined): RequestPlace | undefined =>
  parent instanceof ThreadRequest ? parent.place : undefined

const ways = ({ tensors }: NestedMessage, { options: { signal } }: NestedCall) => ({ signal, transfer: [tensors.data] })

const toOutputs = ({ data, parts }: PackedTensors): Outputs => Object.fromEntries(unpackTensors(data, parts))

import type { InferenceResponse } from '@triton-ts/core'
import type { BackendServer } from '@triton-ts/core/backend'
import { type ErrorMessage, toErrorMessage } from '../messages/error-message.ts'
import type { ChildMessage, ParentMessage } from '../messages/messages.ts'
import type { NestedResponseMessage } from '../messages/nested-message.ts'
import { fromTensorMessage, toTensorMessages } from '../messages/tensor-message.ts'

/** The requests that the child's model makes of other models. */
export class NestedStreams {
  readonly #server: BackendServer
  readonly #send: (message: ParentMessage) => void
  readonly #running = new Map<number, AbortController>()

  constructor(server: BackendServer, send: (message: ParentMessage) => void) {
    this.#server = server
    this.#send = send
  }

  /** Never rejects. */
  async run({ stream, modelName, version, request }: Extract<ChildMessage, { kind: 'nestedOpen' }>): Promise<void> {
    const controller = new AbortController()
    this.#running.set(stream, controller)
    const { signal } = controller
    let error: ErrorMessage | undefined
    try {
      const inputs = request.inputs.map((input) => ({ name: input.name, tensor: fromTensorMessage(input) }))
      for await (const response of this.#server.stream(modelName, version, { ...request, inputs, signal })) {
        this.#send({ kind: 'nestedResponse', stream, response: toMessage(response) })
      }
    } catch (cause) {
      error = toErrorMessage(cause)
    }
    this.#running.delete(stream)
    this.#send({ kind: 'nestedEnd', stream, error })
  }

  leave(stream: number): void {
    this.#running.get(stream)?.abort()
  }

  /** The child is gone. */
  leaveAll(): void {
    for (const controller of this.#running.values()) controller.abort()
  }
}

const toMessage = (response: InferenceResponse): NestedResponseMessage => {
  const { modelName, modelVersion, id, parameters, outputs, error } = response
  return {
    modelName,
    modelVersion,
    id,
    parameters,
    outputs: toTensorMessages(Object.entries(outputs)),
    error: error && toErrorMessage(error),
  }
}

import { type InferenceResponse, TritonError } from '@triton-ts/core'
import type { BackendServer, NestedRequest } from '@triton-ts/core/backend'
import type { Executions } from '../execution/executions.ts'
import { TensorPacker } from '../memory/tensor-packer.ts'
import { readTensors } from '../memory/tensor-reader.ts'
import type { Link } from '../process/link.ts'
import { toErrorMessage } from '../wire/error-message.ts'
import type { ErrorMessage, NestedAsk } from '../wire/messages.ts'
import { parametersJson } from '../wire/parameters.ts'
import { NestedRun } from './nested-run.ts'
import { toNestedRequest } from './to-nested-request.ts'

/** The requests that a model makes of other models. */
export class NestedRequests {
  readonly #server: BackendServer
  readonly #link: Link
  readonly #executions: Executions
  readonly #runs = new Map<number, NestedRun>()
  #wasUsed = false

  constructor(server: BackendServer, link: Link, executions: Executions) {
    this.#server = server
    this.#link = link
    this.#executions = executions
  }

  /** Whether there ever was one. */
  get wasUsed(): boolean {
    return this.#wasUsed
  }

  /** @returns a promise while the tensors of the request are copied. */
  ask(message: NestedAsk, blobs: Buffer): Promise<void> | undefined {
    this.#wasUsed = true
    const run = new NestedRun()
    this.#runs.set(message.id, run)
    const inputs = readTensors(message.in, blobs, this.#link.responses)
    const start = (tensors: Awaited<typeof inputs>): void => {
      const request = toNestedRequest(message, tensors, run.signal)
      void this.#run(message, { ...request, ...this.#served(message) }, run)
    }
    if (inputs instanceof Promise) return inputs.then(start)
    start(inputs)
    return undefined
  }

  cancel(id: number): void {
    this.#runs.get(id)?.cancel()
  }

  credit(id: number, responses: number): void {
    this.#runs.get(id)?.give(responses)
  }

  /** The child is gone. */
  end(error: TritonError): void {
    for (const run of this.#runs.values()) run.cancel(error)
  }

  /** The request in whose service it is sent, or one of those when the model works for a batch. */
  #served({ s, b }: NestedAsk): Pick<NestedRequest, 'parent' | 'servesBatch'> {
    const only = this.#executions.request(s)?.request
    if (only !== undefined) return { parent: only }
    const batch = b === undefined ? [] : this.#executions.batch(b).map(({ request }) => request)
    const parent = batch.find((request) => !request.isCancelled) ?? batch[0]
    return parent === undefined ? {} : { parent, servesBatch: !parent.isCancelled && batch.length > 1 }
  }

  async #run(message: NestedAsk, request: NestedRequest, run: NestedRun): Promise<void> {
    const { id } = message
    try {
      let isEnded = false
      for await (const response of await this.#open(message, request)) {
        await run.credit()
        isEnded = message.decoupled !== true
        await this.#respond(id, response, isEnded)
      }
      if (!isEnded) this.#end(id)
    } catch (error) {
      this.#end(id, toErrorMessage(error))
    }
    this.#runs.delete(id)
  }

  /** As with Triton, what keeps a request from being sent is an internal error to the model that sends it. */
  async #open(
    { model, version, decoupled }: NestedAsk,
    request: NestedRequest,
  ): Promise<AsyncIterableIterator<InferenceResponse>> {
    try {
      if (!(await this.#server.isModelReady(model, version))) {
        throw new Error(`Failed for execute the inference request. Model '${model}' is not ready.`)
      }
      return await this.#server.whenThere(model, request, (rest) => {
        if (decoupled !== true && this.#server.model(model, version).isDecoupled) throw new Error(decoupledText(model))
        return this.#server.stream(model, version, rest)
      })
    } catch (cause) {
      if (cause instanceof TritonError && cause.code === 'CANCELLED') throw cause
      throw new TritonError('INTERNAL', cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }

  async #respond(id: number, { outputs, parameters, error }: InferenceResponse, final: boolean): Promise<void> {
    if (error !== undefined) {
      this.#link.send(JSON.stringify({ k: 'nested', id, final, error: toErrorMessage(error) }))
      return
    }
    const packer = new TensorPacker(this.#link.requests)
    const tensors = Object.entries(outputs).map(([name, tensor]) => packer.add(name, tensor))
    if (packer.written !== undefined) await packer.written
    const more = Object.keys(parameters).length > 0 ? `,"params":${parametersJson(parameters)}` : ''
    const header = `{"k":"nested","id":${id},"final":${final},"outputs":[${tensors.join(',')}]${more}`
    this.#link.write(packer.frame(`${header}${this.#link.freed()}}`))
  }

  #end(id: number, error?: ErrorMessage): void {
    this.#link.send(JSON.stringify({ k: 'nested', id, final: true, error }))
  }
}

const decoupledText = (model: string): string =>
  `Model ${model} is using the decoupled. The current BLS request call doesn't support models using the decoupled ` +
  "transaction policy. Please use 'decoupled=True' argument to the 'exec' or 'async_exec' calls for decoupled models.'"

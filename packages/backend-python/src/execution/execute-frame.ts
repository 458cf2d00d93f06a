import type { RequestTrace } from '@triton-ts/core/backend'
import { TensorPacker } from '../memory/tensor-packer.ts'
import type { WriteRegion } from '../memory/write-region.ts'
import { parametersJson } from '../wire/parameters.ts'
import { responseWindow } from '../wire/window.ts'
import type { RunningRequest } from './running-request.ts'

/** A batch on its way into a frame. */
export class ExecuteFrame {
  readonly #batch: number
  readonly #requests: readonly RunningRequest[]
  readonly #isDecoupled: boolean
  readonly #packer: TensorPacker
  readonly #inputs: readonly string[]

  constructor(
    batch: number,
    requests: readonly RunningRequest[],
    isDecoupled: boolean,
    region: WriteRegion | undefined,
  ) {
    this.#batch = batch
    this.#requests = requests
    this.#isDecoupled = isDecoupled
    this.#packer = new TensorPacker(region)
    this.#inputs = requests.map((running) => this.#pack(running))
  }

  /** Undefined when all tensors are in their places. */
  get written(): Promise<unknown> | undefined {
    return this.#packer.written
  }

  /** @param more members of the header, each with a comma before it. */
  encode(more: string): Buffer {
    const requests = this.#requests.map((running, place) => this.#requestJson(running, this.#inputs[place] ?? ''))
    return this.#packer.frame(`{"k":"execute","b":${this.#batch},"r":[${requests.join(',')}]${more}}`)
  }

  #pack({ request }: RunningRequest): string {
    let json = ''
    for (const [name, tensor] of request.inputs) json += (json === '' ? '' : ',') + this.#packer.add(name, tensor)
    return json
  }

  #requestJson({ slot, request }: RunningRequest, inputs: string): string {
    const { id, correlationId, sequenceStart, sequenceEnd, timeoutMicroseconds, priority, parameters } = request
    let json = `{"s":${slot},"in":[${inputs}],"out":${JSON.stringify(request.requestedOutputs)}`
    if (id !== '') json += `,"id":${JSON.stringify(id)}`
    if (typeof correlationId === 'string') json += `,"c":${JSON.stringify(correlationId)}`
    else if (correlationId !== 0n) json += `,"c":${correlationId}`
    if (sequenceStart || sequenceEnd) json += `,"f":${(sequenceStart ? 1 : 0) + (sequenceEnd ? 2 : 0)}`
    if (timeoutMicroseconds !== 0) json += `,"t":${timeoutMicroseconds}`
    if (priority !== 0) json += `,"p":${priority}`
    if (request.isCancelled) json += ',"cancelled":true'
    if (request.trace !== undefined) json += traceJson(request.trace)
    if (this.#isDecoupled) json += `,"w":${responseWindow}`
    for (const _ in parameters) {
      json += `,"params":${parametersJson(parameters)}`
      break
    }
    return `${json}}`
  }
}

const traceJson = ({ context }: RequestTrace): string => (context === '' ? '' : `,"trace":${JSON.stringify(context)}`)

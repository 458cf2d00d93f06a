import type { ParameterValue, Tensor } from '@triton-ts/core'
import type { ExecutionRequest, RequestTrace } from '@triton-ts/core/backend'
import { dataTypeNumbers, parameterType, sequenceFlag, traceLevel } from './abi-numbers.ts'
import type { NameTable } from './name-table.ts'
import { toNativeValue } from './parameters.ts'

const initialLength = 1024

/** Writes requests as records into one array that the addon reads, see `records.md`. It grows with the largest batch. */
export class SubmissionWriter {
  readonly #onBuffer: (numbers: Float64Array) => void
  #numbers: Float64Array
  #at = 0
  #values: unknown[] = []
  #bytes = 0

  /** @param onBuffer hears of the first array and of each larger one. */
  constructor(onBuffer: (numbers: Float64Array) => void) {
    this.#onBuffer = onBuffer
    this.#numbers = new Float64Array(initialLength)
    onBuffer(this.#numbers)
  }

  /** Begins a submission. */
  begin(): void {
    this.#at = 0
    this.#values = []
    this.#bytes = 0
  }

  /** Of all inputs written since `begin`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Gives away what the records hold besides numbers, in order: the tensors' memory is not to be held here. */
  take(): readonly unknown[] {
    const values = this.#values
    this.#values = []
    return values
  }

  /** The numbers written so far. */
  get numbers(): Float64Array {
    return this.#numbers.subarray(0, this.#at)
  }

  request(number: number, request: ExecutionRequest, names: NameTable): void {
    this.#push(number)
    this.#push((request.sequenceStart ? sequenceFlag.start : 0) | (request.sequenceEnd ? sequenceFlag.end : 0))
    this.#push(request.priority)
    this.#push(request.timeoutMicroseconds)
    this.#correlationId(request.correlationId)
    this.#id(request.id)
    this.#parameters(request.parameters)
    const { inputs, requestedOutputs } = request
    this.#push(inputs.size)
    for (const [name, tensor] of inputs) this.#input(name, tensor, names)
    this.#push(requestedOutputs.length)
    for (const name of requestedOutputs) this.#name(name, names)
    this.#trace(request.trace)
  }

  #correlationId(id: bigint | string): void {
    if (id === 0n || id === '') this.#push(0)
    else {
      this.#push(typeof id === 'bigint' ? 1 : 2)
      this.#values.push(id)
    }
  }

  #id(id: string): void {
    if (id === '') this.#push(0)
    else {
      this.#push(1)
      this.#values.push(id)
    }
  }

  #parameters(parameters: Readonly<Record<string, ParameterValue>>): void {
    const names = Object.keys(parameters)
    this.#push(names.length)
    for (const name of names) {
      const { type, value } = toNativeValue(parameters[name] as ParameterValue)
      this.#push(type)
      this.#values.push(name)
      if (type === parameterType.bool || type === parameterType.double) this.#push(Number(value))
      else this.#values.push(value)
    }
  }

  #input(name: string, tensor: Tensor, names: NameTable): void {
    this.#name(name, names)
    this.#push(dataTypeNumbers[tensor.datatype])
    const { shape } = tensor
    this.#push(shape.length)
    for (let i = 0; i < shape.length; i++) this.#push(shape[i] as number)
    const { bytes } = tensor
    this.#bytes += bytes.byteLength
    this.#values.push(bytes)
  }

  #name(name: string, names: NameTable): void {
    const index = names.index(name)
    this.#push(index)
    if (index < 0) this.#values.push(name)
  }

  #trace(trace: RequestTrace | undefined): void {
    const level = (trace?.timestamps ? traceLevel.timestamps : 0) | (trace?.tensors ? traceLevel.tensors : 0)
    this.#push(level)
    if (level === 0 || trace === undefined) return
    this.#push(Number(trace.parentId))
    this.#push(Number(trace.id))
    this.#values.push(trace.context)
  }

  #push(value: number): void {
    if (this.#at === this.#numbers.length) this.#grow()
    this.#numbers[this.#at++] = value
  }

  #grow(): void {
    const larger = new Float64Array(this.#numbers.length * 2)
    larger.set(this.#numbers)
    this.#numbers = larger
    this.#onBuffer(larger)
  }
}

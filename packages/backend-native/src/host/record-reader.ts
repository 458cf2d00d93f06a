import { type ParameterValue, Tensor, type TritonError } from '@triton-ts/core'
import { dataTypeOf, errorOf, parameterType } from './abi-numbers.ts'
import type { NameTable } from './name-table.ts'
import { fromNativeValue } from './parameters.ts'

const noParameters: Readonly<Record<string, ParameterValue>> = {}

/** Reads records field by field; numbers and values each have a place of their own. See `records.md`. */
export class RecordReader {
  readonly #numbers: Float64Array
  readonly #length: number
  readonly #values: readonly unknown[]
  #at = 0
  #valueAt = 0

  constructor(numbers: Float64Array, length: number, values: readonly unknown[]) {
    this.#numbers = numbers
    this.#length = length
    this.#values = values
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#length
  }

  number(): number {
    return this.#numbers[this.#at++] as number
  }

  flag(): boolean {
    return this.number() !== 0
  }

  /** The caller knows what the record has here. */
  value<T>(): T {
    return this.#values[this.#valueAt++] as T
  }

  error(): TritonError | undefined {
    const code = this.number()
    return code < 0 ? undefined : errorOf(code, this.value<string>())
  }

  /** @param names undefined where the record is read only to come to the next one. */
  name(names: NameTable | undefined): string {
    const index = this.number()
    return index < 0 ? this.value<string>() : (names?.names[index] ?? '')
  }

  shape(): number[] {
    const rank = this.number()
    const shape: number[] = []
    for (let i = 0; i < rank; i++) shape.push(this.number())
    return shape
  }

  /** Undefined for bytes without a type, which no caller could read. */
  tensor(): Tensor | undefined {
    const datatype = dataTypeOf(this.number())
    const shape = this.shape()
    const bytes = this.value<Uint8Array>()
    return datatype && Tensor.fromBytes(datatype, shape, bytes)
  }

  parameters(): Readonly<Record<string, ParameterValue>> {
    const count = this.number()
    if (count === 0) return noParameters
    const parameters: Record<string, ParameterValue> = {}
    for (let i = 0; i < count; i++) {
      const type = this.number()
      const name = this.value<string>()
      if (type === parameterType.bool) parameters[name] = this.flag()
      else if (type === parameterType.double) parameters[name] = this.number()
      else parameters[name] = fromNativeValue(this.value())
    }
    return parameters
  }
}

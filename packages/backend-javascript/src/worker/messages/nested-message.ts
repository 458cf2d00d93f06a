import { type InputValue, Tensor } from '@triton-ts/core'
import type { NestedCall } from '@triton-ts/core/backend'
import { type PackedTensors, packTensors, unpackTensors } from './packed-tensors.ts'

/** Which request of the engine a thread means. */
export interface RequestPlace {
  readonly batch: number
  /** Its place in the batch. */
  readonly request: number
}

/** A request of a model to another model. */
export interface NestedMessage {
  readonly model: string
  readonly tensors: PackedTensors
  /** Inputs that are no tensors yet: only the Server knows what the other model makes of them. */
  readonly values: Readonly<Record<string, InputValue>>
  readonly options: Omit<NestedCall['options'], 'signal'>
  readonly parent: RequestPlace | undefined
}

/** @throws Error for options that cannot be sent. */
export function toNestedMessage(
  { model, inputs, options: { signal: _, ...options } }: NestedCall,
  parent: RequestPlace | undefined,
): NestedMessage {
  const entries = Object.entries(inputs)
  const tensors = entries.filter((entry): entry is [string, Tensor] => entry[1] instanceof Tensor)
  const values = entries.filter(([, value]) => !(value instanceof Tensor))
  return {
    model,
    tensors: packTensors(tensors),
    values: structuredClone(Object.fromEntries(values.map(([name, value]) => [name, ownMemory(value)]))),
    options: structuredClone(options),
    parent,
  }
}

export const fromNestedMessage = ({ tensors, values }: NestedMessage): NestedCall['inputs'] => ({
  ...values,
  ...Object.fromEntries(unpackTensors(tensors.data, tensors.parts)),
})

/** Of a view, all that lies behind it would be sent. */
const ownMemory = (value: InputValue): InputValue =>
  ArrayBuffer.isView(value) && value.byteLength < value.buffer.byteLength ? value.slice() : value

import { type DataType, Tensor } from '@triton-ts/core'

/** A tensor on its way to the other process, where its bytes arrive as a copy. */
export interface TensorMessage {
  readonly name: string
  readonly datatype: DataType
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

export const toTensorMessage = (name: string, { datatype, shape, bytes }: Tensor): TensorMessage => ({
  name,
  datatype,
  shape,
  bytes,
})

export const fromTensorMessage = ({ datatype, shape, bytes }: TensorMessage): Tensor =>
  Tensor.fromBytes(datatype, shape, bytes)

export const toTensorMessages = (tensors: Iterable<readonly [string, Tensor]>): TensorMessage[] =>
  Array.from(tensors, ([name, tensor]) => toTensorMessage(name, tensor))

export const fromTensorMessages = (messages: readonly TensorMessage[]): [string, Tensor][] =>
  messages.map((message) => [message.name, fromTensorMessage(message)])

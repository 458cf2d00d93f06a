import { ProtoWriter } from '../../../packages/testing/src/proto-writer.ts'

export interface InferMessage {
  readonly model: string
  readonly id?: string
  readonly inputs: readonly InputMessage[]
  readonly parameters?: Readonly<Record<string, boolean | number>>
}

export interface InputMessage {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
  readonly data: Uint8Array
}

export const inferPath = '/inference.GRPCInferenceService/ModelInfer'
export const streamPath = '/inference.GRPCInferenceService/ModelStreamInfer'

/** A tensor of 32-bit integers. */
export const int32 = (name: string, shape: readonly number[], values: readonly number[]): InputMessage => ({
  name,
  datatype: 'INT32',
  shape,
  data: new Uint8Array(Int32Array.from(values).buffer),
})

/** The bytes of a `ModelInferRequest`, with raw contents. */
export function inferMessage({ model, id = '', inputs, parameters = {} }: InferMessage): Uint8Array {
  const message = new ProtoWriter().text(1, model).text(3, id)
  for (const [name, value] of Object.entries(parameters)) {
    const parameter = new ProtoWriter().integer(typeof value === 'boolean' ? 1 : 2, Number(value))
    message.message(4, new ProtoWriter().text(1, name).message(2, parameter))
  }
  for (const { name, datatype, shape } of inputs) {
    const input = new ProtoWriter().text(1, name).text(2, datatype)
    for (const dimension of shape) input.integer(3, dimension)
    message.message(5, input)
  }
  for (const { data } of inputs) message.bytes(7, data)
  return message.toBytes()
}

import type { DataType } from '@triton-ts/core'
import { WorkerError } from './ort-error.ts'
import { integers, protoFields } from './proto-reader.ts'

/** A tensor's value: its wire form, or the elements of a BYTES tensor. */
export interface TensorValue {
  readonly datatype: DataType
  readonly shape: readonly number[]
  readonly content: Uint8Array | readonly string[]
}

/** Element types by their codes in `TensorProto.DataType`. Source: onnx.proto. */
const elementTypes: Readonly<Record<number, readonly [datatype: DataType, size: number]>> = {
  1: ['FP32', 4],
  2: ['UINT8', 1],
  3: ['INT8', 1],
  4: ['UINT16', 2],
  5: ['INT16', 2],
  6: ['INT32', 4],
  7: ['INT64', 8],
  8: ['BYTES', 0],
  9: ['BOOL', 1],
  10: ['FP16', 2],
  11: ['FP64', 8],
  12: ['UINT32', 4],
  13: ['UINT64', 8],
}

/** The value of a `TensorProto`, whichever of its fields holds the data. */
export function readTensorProto(message: Uint8Array): TensorValue {
  const fields = [...protoFields(message)]
  const all = (number: number) => fields.filter((field) => field.number === number)
  const type = elementTypes[Number(all(2)[0]?.integer ?? 0n)]
  const isExternal = all(14)[0]?.integer === 1n
  if (type === undefined || isExternal) {
    throw new WorkerError(
      'UNSUPPORTED',
      'an optional input has a default of an unsupported type or in an external file',
    )
  }
  const [datatype, size] = type
  const shape = all(1).flatMap(integers).map(Number)
  if (datatype === 'BYTES')
    return { datatype, shape, content: all(6).map(({ bytes }) => Buffer.from(bytes).toString()) }
  const raw = all(9)[0]
  if (raw !== undefined) return { datatype, shape, content: raw.bytes }
  const floats = [...all(4), ...all(10)].map(({ bytes }) => bytes)
  if (floats.length > 0) return { datatype, shape, content: Buffer.concat(floats) }
  const values = [...all(5), ...all(7), ...all(11)].flatMap(integers)
  const content = Buffer.alloc(values.length * size)
  values.forEach((value, index) => {
    const bits = BigInt.asUintN(64, value)
    for (let byte = 0; byte < size; byte++) content[index * size + byte] = Number((bits >> BigInt(8 * byte)) & 0xffn)
  })
  return { datatype, shape, content }
}

import type { DataType } from '@triton-ts/core'

/** The tensor types that onnxruntime-node and Triton have in common, by their names there. */
const datatypes: Readonly<Record<string, DataType>> = {
  bool: 'BOOL',
  uint8: 'UINT8',
  uint16: 'UINT16',
  uint32: 'UINT32',
  uint64: 'UINT64',
  int8: 'INT8',
  int16: 'INT16',
  int32: 'INT32',
  int64: 'INT64',
  float16: 'FP16',
  float32: 'FP32',
  float64: 'FP64',
  string: 'BYTES',
}

const ortTypes = new Map(Object.entries(datatypes).map(([type, datatype]) => [datatype, type]))

export const fromOrtType = (type: string): DataType | undefined => datatypes[type]

/** Undefined for BF16, which onnxruntime-node does not have. */
export const toOrtType = (datatype: DataType): string | undefined => ortTypes.get(datatype)

const arrays = {
  BOOL: Uint8Array,
  UINT8: Uint8Array,
  UINT16: Uint16Array,
  UINT32: Uint32Array,
  UINT64: BigUint64Array,
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  INT64: BigInt64Array,
  FP16: Uint16Array,
  FP32: Float32Array,
  FP64: Float64Array,
  BF16: Uint16Array,
} as const

export type NumericType = Exclude<DataType, 'BYTES'>

/** A typed view of a tensor's bytes, which must be aligned for the type. */
export function typedView(datatype: NumericType, buffer: ArrayBuffer, offset: number, byteLength: number) {
  const TypedArray = arrays[datatype]
  return new TypedArray(buffer, offset, byteLength / TypedArray.BYTES_PER_ELEMENT)
}

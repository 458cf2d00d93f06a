import type { ConfigDataType } from '../config/model-config.ts'

/** The 14 tensor types of the protocol, as HTTP and gRPC spell them. */
export const dataTypes = [
  'BOOL',
  'UINT8',
  'UINT16',
  'UINT32',
  'UINT64',
  'INT8',
  'INT16',
  'INT32',
  'INT64',
  'FP16',
  'FP32',
  'FP64',
  'BYTES',
  'BF16',
] as const

export type DataType = (typeof dataTypes)[number]

/** The typed array that holds a type's elements. FP16 and BF16 are their raw 16 bits; BOOL is one byte, 0 or 1. */
export interface DataTypeArrays {
  BOOL: Uint8Array
  UINT8: Uint8Array
  UINT16: Uint16Array
  UINT32: Uint32Array
  UINT64: BigUint64Array
  INT8: Int8Array
  INT16: Int16Array
  INT32: Int32Array
  INT64: BigInt64Array
  FP16: Uint16Array
  FP32: Float32Array
  FP64: Float64Array
  BF16: Uint16Array
}

/** A type whose elements all have the same size. */
export type NumericDataType = keyof DataTypeArrays

export type NumericArray = DataTypeArrays[NumericDataType]

interface NumericArrayConstructor {
  new (length: number): NumericArray
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): NumericArray
}

const arrays: Record<NumericDataType, NumericArrayConstructor> = {
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
}

/** Bytes of one element; 0 for BYTES, whose elements differ in size. */
export const dataTypeSizes: Record<DataType, number> = {
  BOOL: 1,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
  UINT64: 8,
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  FP16: 2,
  FP32: 4,
  FP64: 8,
  BYTES: 0,
  BF16: 2,
}

export const isDataType = (name: string): name is DataType => Object.hasOwn(dataTypeSizes, name)

/** A zeroed array of `length` elements. */
export function createArray<T extends NumericDataType>(datatype: T, length: number): DataTypeArrays[T] {
  return new arrays[datatype](length) as DataTypeArrays[T]
}

/**
 * The elements in `bytes` (little-endian, as every wire format has them): a view where the offset is aligned for the
 * type, else one copy.
 */
export function viewArray<T extends NumericDataType>(datatype: T, bytes: Uint8Array): DataTypeArrays[T] {
  const size = dataTypeSizes[datatype]
  // A Buffer's own `slice` does not copy.
  const aligned = bytes.byteOffset % size === 0 ? bytes : Uint8Array.prototype.slice.call(bytes)
  return new arrays[datatype](aligned.buffer, aligned.byteOffset, aligned.byteLength / size) as DataTypeArrays[T]
}

/** `TYPE_FP32` to `FP32`, `TYPE_STRING` to `BYTES`; undefined for `TYPE_INVALID`. */
export function fromConfigType(type: ConfigDataType): DataType | undefined {
  if (type === 'TYPE_STRING') return 'BYTES'
  const name = type.slice('TYPE_'.length)
  return isDataType(name) ? name : undefined
}

/** `FP32` to `TYPE_FP32`, `BYTES` to `TYPE_STRING`. */
export function toConfigType(datatype: DataType): ConfigDataType {
  return datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${datatype}`
}

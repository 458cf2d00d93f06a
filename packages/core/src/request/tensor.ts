import { TritonError } from '../errors.ts'
import { type BytesElement, packBytes, unpackBytes } from './bytes.ts'
import { type DataType, type DataTypeArrays, type NumericArray, type NumericDataType, viewArray } from './data-type.ts'
import { elementCount, shapeText } from './shape.ts'

/** What `Tensor.data` holds: the type's typed array, or for BYTES the elements. */
export type TensorData<T extends DataType = DataType> = T extends NumericDataType
  ? DataTypeArrays[T]
  : readonly BytesElement[]

const brand = Symbol.for('triton-ts.tensor')

/**
 * A typed, shaped block of values. It keeps what it was made from, a typed array or bytes off the wire, and makes the
 * other form when it is asked for: numeric tensors share memory between both, BYTES tensors are packed or unpacked once.
 * A tensor does not copy its input; do not change the data while a request that holds it is running. `instanceof` holds across two copies of this package.
 */
export class Tensor<T extends DataType = DataType> {
  readonly datatype: T
  /** Row-major, outermost first; `[]` is a scalar. With batching the first dimension is the batch. */
  readonly shape: readonly number[]
  #data: TensorData | undefined
  #bytes: Uint8Array | undefined

  private constructor(
    datatype: T,
    shape: readonly number[],
    data: TensorData | undefined,
    bytes: Uint8Array | undefined,
  ) {
    this.datatype = datatype
    this.shape = shape
    this.#data = data
    this.#bytes = bytes
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }

  /** Tells tensors of other copies of this package. */
  get [brand](): true {
    return true
  }

  /**
   * A tensor over `data`.
   * @throws TritonError INVALID_ARG when the number of elements is not that of the shape.
   */
  static of<T extends DataType>(datatype: T, shape: readonly number[], data: TensorData<T>): Tensor<T> {
    const expected = elementCount(shape)
    if (data.length !== expected) {
      throw new TritonError(
        'INVALID_ARG',
        `tensor of shape ${shapeText(shape)} needs ${expected} elements but got ${data.length}`,
      )
    }
    return new Tensor(datatype, shape, data, undefined)
  }

  /** A tensor over wire bytes: little-endian elements, or packed BYTES. Sizes are checked with the request, not here. */
  static fromBytes<T extends DataType>(datatype: T, shape: readonly number[], bytes: Uint8Array): Tensor<T> {
    return new Tensor(datatype, shape, undefined, bytes)
  }

  /** The elements. FP16 and BF16 are raw 16-bit patterns, BOOL bytes of 0 or 1, BYTES strings or `Uint8Array`s. */
  get data(): TensorData<T> {
    this.#data ??=
      this.datatype === 'BYTES'
        ? unpackBytes(this.#bytes as Uint8Array)
        : viewArray(this.datatype as NumericDataType, this.#bytes as Uint8Array)
    return this.#data as TensorData<T>
  }

  /** The wire form: little-endian elements without padding, or packed BYTES. */
  get bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      if (this.datatype === 'BYTES') this.#bytes = packBytes(this.#data as readonly BytesElement[])
      else {
        const { buffer, byteOffset, byteLength } = this.#data as NumericArray
        this.#bytes = new Uint8Array(buffer, byteOffset, byteLength)
      }
    }
    return this.#bytes
  }

  /** Bytes of the wire form. */
  get byteSize(): number {
    if (this.#bytes === undefined && this.datatype !== 'BYTES') return (this.#data as NumericArray).byteLength
    return this.bytes.byteLength
  }

  /** Elements that the shape promises. */
  get elementCount(): number {
    return elementCount(this.shape)
  }

  /**
   * The elements of a BYTES tensor as text.
   * @throws TritonError INVALID_ARG for another type.
   */
  strings(): string[] {
    if (this.datatype !== 'BYTES') throw new TritonError('INVALID_ARG', `a ${this.datatype} tensor has no strings`)
    return (this.data as readonly BytesElement[]).map((element) =>
      typeof element === 'string'
        ? element
        : Buffer.from(element.buffer, element.byteOffset, element.byteLength).toString(),
    )
  }

  /** The same data under another shape of as many elements. */
  reshape(shape: readonly number[]): Tensor<T> {
    return new Tensor(this.datatype, shape, this.#data, this.#bytes)
  }

  /** The wire form of the data as they are now: `bytes` of a BYTES tensor stays as it was first packed. */
  currentBytes(): Uint8Array {
    if (this.datatype !== 'BYTES' || this.#data === undefined) return this.bytes
    return packBytes(this.#data as readonly BytesElement[])
  }

  /** Whether a BYTES tensor is in its wire form already. */
  get hasPackedBytes(): boolean {
    return this.#bytes !== undefined
  }
}

/** Short for `Tensor.of`: `tensor('FP32', [1, 3], new Float32Array([1, 2, 3]))`. */
export const tensor = Tensor.of

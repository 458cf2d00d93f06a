import { type DataType, Tensor } from '@triton-ts/core'

/** A tensor whose bytes lie in a buffer that is sent with it. */
export interface TensorPart {
  readonly name: string
  readonly datatype: DataType
  readonly shape: readonly number[]
  /** A multiple of 8. */
  readonly offset: number
  readonly size: number
}

/** Tensors by name, to be sent to another thread. */
export interface PackedTensors {
  readonly data: ArrayBuffer
  readonly parts: readonly TensorPart[]
}

/**
 * Copies tensors into one buffer that can be transferred. The memory of the tensors stays with its owner: it may belong
 * to a caller, or be used again by a model.
 */
export function packTensors(tensors: Iterable<readonly [string, Tensor]>): PackedTensors {
  const packer = new TensorPacker()
  const parts = packer.add(tensors)
  return { data: packer.pack(), parts }
}

/** Lays out the tensors of several requests in one buffer. */
export class TensorPacker {
  readonly #bytes: { readonly offset: number; readonly bytes: Uint8Array }[] = []
  #size = 0

  add(tensors: Iterable<readonly [string, Tensor]>): TensorPart[] {
    return Array.from(tensors, ([name, tensor]) => {
      const bytes = tensor.currentBytes()
      const offset = this.#size
      this.#bytes.push({ offset, bytes })
      this.#size += Math.ceil(bytes.byteLength / 8) * 8
      return { name, datatype: tensor.datatype, shape: tensor.shape, offset, size: bytes.byteLength }
    })
  }

  pack(): ArrayBuffer {
    const data = new ArrayBuffer(this.#size)
    const target = new Uint8Array(data)
    for (const { offset, bytes } of this.#bytes) target.set(bytes, offset)
    return data
  }
}

/** Views of the buffer, by name. */
export const unpackTensors = (data: ArrayBuffer, parts: readonly TensorPart[]): [string, Tensor][] =>
  parts.map(({ name, datatype, shape, offset, size }) => [
    name,
    Tensor.fromBytes(datatype, shape, new Uint8Array(data, offset, size)),
  ])

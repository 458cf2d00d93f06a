import { TritonError } from '../errors.ts'
import { elementEnd } from '../request/bytes.ts'
import { type DataType, dataTypeSizes, isDataType } from '../request/data-type.ts'
import { elementCount, shapeText } from '../request/shape.ts'
import { Tensor } from '../request/tensor.ts'
import type { Outputs } from '../response/inference-response.ts'

/**
 * The outputs of a response as one block of bytes, little-endian:
 *
 *     version u8 · outputs u32
 *     for each output:  name u32 + UTF-8 · type u8 + ASCII · rank u8 · dimensions f64 each · bytes f64
 *     for each output:  its bytes, from the next multiple of 8
 *
 * A double holds every size that JavaScript can count, and data at a multiple of 8 can be viewed as any type.
 */
const formatVersion = 1

const align = (offset: number): number => Math.ceil(offset / 8) * 8

/** @throws TritonError INTERNAL for an output whose data does not fit its shape. */
export function encodeEntry(outputs: Outputs): Uint8Array {
  const tensors = Object.entries(outputs).map(([name, tensor]) => {
    const { datatype, shape } = tensor
    return { name, datatype, shape, bytes: tensor.currentBytes() }
  })
  let offset = 5
  for (const { name, datatype, shape, bytes } of tensors) {
    expectFit(datatype, shape, bytes)
    offset += 4 + Buffer.byteLength(name) + 1 + datatype.length + 1 + 8 * shape.length + 8
  }
  let size = offset
  for (const { bytes } of tensors) size = align(size) + bytes.byteLength
  // Not from the pool of small Buffers, of which one that is kept would keep 8 KiB.
  const entry = Buffer.allocUnsafeSlow(size)
  entry.writeUInt8(formatVersion, 0)
  entry.writeUInt32LE(tensors.length, 1)
  let head = 5
  for (const { name, datatype, shape, bytes } of tensors) {
    const length = entry.write(name, head + 4)
    head = entry.writeUInt32LE(length, head) + length
    head = entry.writeUInt8(datatype.length, head)
    head += entry.write(datatype, head, 'latin1')
    head = entry.writeUInt8(shape.length, head)
    for (const dim of shape) head = entry.writeDoubleLE(dim, head)
    head = entry.writeDoubleLE(bytes.byteLength, head)
  }
  for (const { bytes } of tensors) {
    const start = align(offset)
    entry.fill(0, offset, start)
    entry.set(bytes, start)
    offset = start + bytes.byteLength
  }
  return entry
}

/**
 * The outputs of an entry; their data are views into it.
 * @throws TritonError INTERNAL when the bytes are not those of an entry.
 */
export function decodeEntry(bytes: Uint8Array): Outputs {
  try {
    return readOutputs(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    throw new TritonError('INTERNAL', `the entry is corrupt: ${(error as Error).message}`, { cause: error })
  }
}

interface OutputHead {
  readonly name: string
  readonly datatype: DataType
  readonly shape: readonly number[]
  readonly byteSize: number
}

/** Reading beyond the end is a RangeError of Buffer. */
function readOutputs(entry: Buffer): Outputs {
  const version = entry.readUInt8(0)
  if (version !== formatVersion) throw corrupt(`its format is ${version}, not ${formatVersion}`)
  const heads: OutputHead[] = []
  let offset = 5
  for (let left = entry.readUInt32LE(1); left > 0; left--) {
    const nameEnd = offset + 4 + entry.readUInt32LE(offset)
    const name = entry.toString('utf8', offset + 4, nameEnd)
    const typeEnd = nameEnd + 1 + entry.readUInt8(nameEnd)
    const datatype = entry.toString('latin1', nameEnd + 1, typeEnd)
    if (!isDataType(datatype)) throw corrupt(`output '${name}' has an unknown type`)
    const shapeEnd = typeEnd + 1 + 8 * entry.readUInt8(typeEnd)
    const shape: number[] = []
    for (let at = typeEnd + 1; at < shapeEnd; at += 8) shape.push(readSize(entry, at))
    heads.push({ name, datatype, shape, byteSize: readSize(entry, shapeEnd) })
    offset = shapeEnd + 8
  }
  const outputs: [string, Tensor][] = []
  for (const { name, datatype, shape, byteSize } of heads) {
    const start = align(offset)
    offset = start + byteSize
    if (offset > entry.byteLength) throw corrupt('it is cut short')
    const data = entry.subarray(start, offset)
    expectFit(datatype, shape, data)
    outputs.push([name, Tensor.fromBytes(datatype, shape, data)])
  }
  if (offset !== entry.byteLength) throw corrupt('it is too long')
  return Object.fromEntries(outputs)
}

function readSize(entry: Buffer, offset: number): number {
  const size = entry.readDoubleLE(offset)
  if (Number.isSafeInteger(size) && size >= 0) return size
  throw corrupt(`${size} is no size`)
}

function expectFit(datatype: DataType, shape: readonly number[], bytes: Uint8Array): void {
  const expected = elementCount(shape)
  const fits =
    datatype === 'BYTES'
      ? packedElements(bytes) === expected
      : bytes.byteLength === expected * (dataTypeSizes[datatype] as number)
  if (!fits) throw corrupt(`${bytes.byteLength} bytes do not make a ${datatype} tensor of shape ${shapeText(shape)}`)
}

/** How many elements a packed BYTES tensor has; undefined when it is cut short. */
function packedElements(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let offset: number | undefined = 0; offset < bytes.byteLength; count++) {
    offset = elementEnd(view, offset)
    if (offset === undefined) return undefined
  }
  return count
}

const corrupt = (text: string): TritonError => new TritonError('INTERNAL', text)

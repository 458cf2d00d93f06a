import { type DataType, dataTypeSizes, TritonError } from '@triton-ts/core'
import type { ProtoReader } from '../wire/proto-reader.ts'
import { unparsable } from '../wire/unparsable.ts'
import { contentsField, countVarints, fixedSize, visitContents } from './contents-pieces.ts'
import { fillIntegers } from './fill-integers.ts'

/** What the elements of each field are; of the integers with 32 bits also the smaller types. */
const fieldTypes: readonly DataType[] = ['BOOL', 'INT32', 'INT64', 'UINT32', 'UINT64', 'FP32', 'FP64', 'BYTES']

const smallIntegers: ReadonlyMap<number, readonly string[]> = new Map([
  [contentsField.int, ['INT8', 'INT16']],
  [contentsField.uint, ['UINT8', 'UINT16']],
])

/** The input whose contents are read, for error messages. */
export interface ContentsTarget {
  readonly name: string
  readonly datatype: string
  readonly modelName: string
}

/**
 * The elements of `contents` in their wire form as raw contents have it, without a copy where they lie like that.
 * @throws TritonError INVALID_ARG with Triton's texts for elements of another type, and for those of two types.
 */
export function readTypedContents(reader: ProtoReader, ranges: readonly number[], target: ContentsTarget): Uint8Array {
  const counts = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  let size = 0
  visitContents(reader, ranges, (field, start, end) => {
    counts[field] = (counts[field] as number) + countElements(reader, field, start, end)
    if (field === contentsField.bytes) size += 4 + end - start
  })
  const field = onlyField(counts, target)
  if (field === undefined) return new Uint8Array(0)
  if (field === contentsField.bytes) return packElements(reader, ranges, size)
  const count = counts[field] as number
  if (field === contentsField.fp32 || field === contentsField.fp64) {
    return joinPieces(reader, ranges, field, count * fixedSize(field))
  }
  const width = dataTypeSizes[elementType(field, target.datatype)]
  return fillIntegers(reader, ranges, { field, width, count })
}

function countElements(reader: ProtoReader, field: number, start: number, end: number): number {
  if (field === contentsField.bytes) return 1
  if (field !== contentsField.fp32 && field !== contentsField.fp64) return countVarints(reader.bytes, start, end)
  const count = (end - start) / fixedSize(field)
  if (!Number.isInteger(count)) throw unparsable()
  return count
}

/** The field that has elements. Checks are in the order of the fields. Source: Triton, `InferGRPCToInput`. */
function onlyField(counts: readonly number[], { name, datatype, modelName }: ContentsTarget): number | undefined {
  let found: number | undefined
  const subject = `unexpected explicit tensor data for input tensor '${name}' for model '${modelName}'`
  for (let field = 1; field < counts.length; field++) {
    if (counts[field] === 0) continue
    if (found !== undefined) throw new TritonError('INVALID_ARG', `${subject}, binary data was already supplied.`)
    const type = elementType(field, datatype)
    if (type !== datatype) {
      throw new TritonError('INVALID_ARG', `${subject} of type '${type}', expected datatype '${datatype}'`)
    }
    found = field
  }
  return found
}

/** The type of the elements of a field, where the input has `datatype`. */
function elementType(field: number, datatype: string): DataType {
  const small = smallIntegers.get(field)?.includes(datatype)
  return (small ? datatype : fieldTypes[field - 1]) as DataType
}

/** Elements of a fixed size: a view of the one piece, or all in one. */
function joinPieces(reader: ProtoReader, ranges: readonly number[], wanted: number, size: number): Uint8Array {
  let joined: Uint8Array | undefined
  let at = 0
  visitContents(reader, ranges, (field, start, end) => {
    if (field !== wanted) return
    const piece = reader.bytes.subarray(start, end)
    if (piece.byteLength === size) joined = piece
    else {
      joined ??= Buffer.allocUnsafeSlow(size)
      joined.set(piece, at)
    }
    at += piece.byteLength
  })
  return joined as Uint8Array
}

/** Bytes that are copied one by one, which is faster than a call. */
const shortElement = 32

/** BYTES elements, each behind its length. */
function packElements(reader: ProtoReader, ranges: readonly number[], size: number): Uint8Array {
  const packed = Buffer.allocUnsafeSlow(size)
  let at = 0
  visitContents(reader, ranges, (field, start, end) => {
    if (field !== contentsField.bytes) return
    at = packed.writeUInt32LE(end - start, at)
    if (end - start > shortElement) packed.set(reader.bytes.subarray(start, end), at)
    else for (let i = start; i < end; i++) packed[at + i - start] = reader.bytes[i] as number
    at += end - start
  })
  return packed
}

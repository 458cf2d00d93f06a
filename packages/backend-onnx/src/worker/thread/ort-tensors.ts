import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { FeedLayout, OutputPayload } from '../messages.ts'
import type { TensorInfo } from '../onnx-executor.ts'
import type { Ort } from './create-session.ts'
import { WorkerError } from './ort-error.ts'
import { fromOrtType, toOrtType, typedView } from './ort-types.ts'
import { encodeStrings } from './string-codec.ts'
import type { TensorValue } from './tensor-proto.ts'

/** @throws WorkerError UNSUPPORTED for an input or output that is no tensor. */
export function tensorInfo(metadata: InferenceSession.ValueMetadata): TensorInfo {
  const { name } = metadata
  if (!metadata.isTensor) {
    throw new WorkerError(
      'UNSUPPORTED',
      `Unsupported ONNX Type 'ONNX_TYPE_UNKNOWN' for I/O '${name}', expected 'ONNX_TYPE_TENSOR'.`,
    )
  }
  return {
    name,
    datatype: fromOrtType(metadata.type),
    shape: metadata.shape.map((dim) => (typeof dim === 'number' ? dim : -1)),
  }
}

/** A tensor over the bytes of a feed. */
export function numericTensor(ort: Ort, feed: FeedLayout, buffer: ArrayBuffer): Tensor {
  const type = toOrtType(feed.datatype)
  if (type === undefined || feed.datatype === 'BYTES') {
    throw new WorkerError('UNSUPPORTED', `onnxruntime-node does not support ${feed.datatype} tensors`)
  }
  const data = typedView(feed.datatype, buffer, feed.offset, feed.byteLength)
  return new ort.Tensor(type as Tensor.Type, data, feed.shape)
}

/** The default of an optional input. */
export function defaultTensor(ort: Ort, { datatype, shape, content }: TensorValue): Tensor {
  if (!(content instanceof Uint8Array)) return new ort.Tensor('string', [...content], shape)
  const copy = Uint8Array.from(content)
  return numericTensor(ort, { name: '', datatype, shape, offset: 0, byteLength: copy.byteLength }, copy.buffer)
}

/** @param escaped whether the inputs had bytes that are not UTF-8. */
export function outputPayload(tensor: Tensor, escaped: boolean): OutputPayload {
  const datatype = fromOrtType(tensor.type)
  if (datatype === undefined) throw new WorkerError('UNSUPPORTED', `an output has the unsupported type ${tensor.type}`)
  if (datatype === 'BYTES') {
    return { datatype, shape: tensor.dims, bytes: encodeStrings(tensor.data as string[], escaped) }
  }
  const { buffer, byteOffset, byteLength } = tensor.data as Uint8Array
  return { datatype, shape: tensor.dims, bytes: new Uint8Array(buffer, byteOffset, byteLength) }
}

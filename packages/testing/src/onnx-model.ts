import type { DataType, Tensor } from '@triton-ts/core'
import { ProtoWriter } from './proto-writer.ts'

/** A model input or output. A dimension is a size, or a name for one that varies. */
export interface OnnxTensorInfo {
  readonly name: string
  readonly datatype: DataType
  /** `[]` is a scalar; `''` is a varying dimension without a name. */
  readonly shape: readonly (number | string)[]
}

/** Whole numbers become INT, other numbers FLOAT; `{ float: 1 }` makes a FLOAT of a whole number. */
export type OnnxAttribute = number | string | readonly number[] | { readonly float: number }

/** One operation of the graph; tensors are passed by name. */
export interface OnnxNode {
  /** The operator, `Add` for instance. */
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes?: Readonly<Record<string, OnnxAttribute>> | undefined
}

/** What `onnxModel` writes. Nodes stand in the order in which they can run. */
export interface OnnxModelSpec {
  readonly inputs: readonly OnnxTensorInfo[]
  readonly outputs: readonly OnnxTensorInfo[]
  readonly nodes: readonly OnnxNode[]
  /** Constants by name. One that is an input too is that input's default. */
  readonly initializers?: Readonly<Record<string, Tensor>> | undefined
  /** Version of the default operator set. Default 13. */
  readonly opset?: number | undefined
}

/** Codes of `TensorProto.DataType`. Source: onnx.proto. */
const elementTypes: Record<DataType, number> = {
  FP32: 1,
  UINT8: 2,
  INT8: 3,
  UINT16: 4,
  INT16: 5,
  INT32: 6,
  INT64: 7,
  BYTES: 8,
  BOOL: 9,
  FP16: 10,
  FP64: 11,
  UINT32: 12,
  UINT64: 13,
  BF16: 16,
}

/** Lowest format version that knows every operator set used here. */
const irVersion = 8

/** The bytes of an ONNX file (a `ModelProto`), so that tests and benchmarks need no Python to make a model. */
export function onnxModel(spec: OnnxModelSpec): Uint8Array {
  const graph = new ProtoWriter()
  for (const node of spec.nodes) graph.message(1, nodeProto(node))
  graph.text(2, 'graph')
  for (const [name, tensor] of Object.entries(spec.initializers ?? {})) graph.message(5, tensorProto(name, tensor))
  for (const input of spec.inputs) graph.message(11, valueInfoProto(input))
  for (const output of spec.outputs) graph.message(12, valueInfoProto(output))
  return new ProtoWriter()
    .integer(1, irVersion)
    .message(7, graph)
    .message(8, new ProtoWriter().text(1, '').integer(2, spec.opset ?? 13))
    .toBytes()
}

function nodeProto({ op, inputs, outputs, attributes }: OnnxNode): ProtoWriter {
  const node = new ProtoWriter()
  for (const name of inputs) node.text(1, name)
  for (const name of outputs) node.text(2, name)
  node.text(4, op)
  for (const [name, value] of Object.entries(attributes ?? {})) node.message(5, attributeProto(name, value))
  return node
}

function attributeProto(name: string, value: OnnxAttribute): ProtoWriter {
  const attribute = new ProtoWriter().text(1, name)
  if (typeof value === 'string') return attribute.text(4, value).integer(20, 3)
  if (typeof value === 'number') {
    return Number.isInteger(value)
      ? attribute.integer(3, value).integer(20, 2)
      : attribute.float(2, value).integer(20, 1)
  }
  if ('float' in value) return attribute.float(2, value.float).integer(20, 1)
  const whole = value.every(Number.isInteger)
  for (const item of value) whole ? attribute.integer(8, item) : attribute.float(7, item)
  return attribute.integer(20, whole ? 7 : 6)
}

function tensorProto(name: string, tensor: Tensor): ProtoWriter {
  const proto = new ProtoWriter()
  for (const dim of tensor.shape) proto.integer(1, dim)
  proto.integer(2, elementTypes[tensor.datatype]).text(8, name)
  if (tensor.datatype !== 'BYTES') return proto.bytes(9, tensor.bytes)
  for (const element of tensor.strings()) proto.text(6, element)
  return proto
}

function valueInfoProto({ name, datatype, shape }: OnnxTensorInfo): ProtoWriter {
  const shapeProto = new ProtoWriter()
  for (const dim of shape) {
    const dimension = new ProtoWriter()
    if (typeof dim === 'number') dimension.integer(1, dim)
    else if (dim !== '') dimension.text(2, dim)
    shapeProto.message(1, dimension)
  }
  const tensorType = new ProtoWriter().integer(1, elementTypes[datatype]).message(2, shapeProto)
  return new ProtoWriter().text(1, name).message(2, new ProtoWriter().message(1, tensorType))
}

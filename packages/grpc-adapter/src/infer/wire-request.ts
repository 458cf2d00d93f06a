import type { ProtoReader } from '../wire/proto-reader.ts'
import { skipField } from '../wire/skip-field.ts'
import { wireType } from '../wire/wire-type.ts'
import { expectRoom, type InferParameters, readParameterEntry } from './infer-parameter.ts'

/** `inference.ModelInferRequest` as it came: nothing is checked but that it is one. */
export interface WireRequest {
  modelName: string
  modelVersion: string
  id: string
  parameters: InferParameters | undefined
  readonly inputs: WireInput[]
  readonly outputs: WireOutput[]
  /** Where each of `raw_input_contents` begins and ends in the message. */
  readonly rawContents: number[]
}

export interface WireInput {
  name: string
  datatype: string
  readonly shape: number[]
  parameters: InferParameters | undefined
  /** Where the pieces of `contents` begin and end in the message; undefined without the field. */
  contents: number[] | undefined
}

export interface WireOutput {
  name: string
  parameters: InferParameters | undefined
}

const bytesTag = (field: number): number => (field << 3) | wireType.bytes
const modelNameTag = bytesTag(1)
const modelVersionTag = bytesTag(2)
const idTag = bytesTag(3)
const parametersTag = bytesTag(4)
const inputsTag = bytesTag(5)
const outputsTag = bytesTag(6)
const rawContentsTag = bytesTag(7)

/**
 * Reads a whole message.
 * @throws GrpcError INTERNAL for bytes that are none; TritonError INVALID_ARG for one with too many entries.
 */
export function readWireRequest(reader: ProtoReader): WireRequest {
  const request: WireRequest = {
    modelName: '',
    modelVersion: '',
    id: '',
    parameters: undefined,
    inputs: [],
    outputs: [],
    rawContents: [],
  }
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === rawContentsTag) readRange(reader, request.rawContents)
    else if (tag === inputsTag) {
      expectRoom(request.inputs.length, 'inputs')
      request.inputs.push(readInput(reader))
    } else if (tag === outputsTag) {
      expectRoom(request.outputs.length, 'outputs')
      request.outputs.push(readOutput(reader))
    } else if (tag === modelNameTag) request.modelName = reader.string()
    else if (tag === modelVersionTag) request.modelVersion = reader.string()
    else if (tag === idTag) request.id = reader.string()
    else if (tag === parametersTag) {
      request.parameters ??= new Map()
      readParameterEntry(reader, request.parameters)
    } else skipField(reader, tag)
  }
  return request
}

function readRange(reader: ProtoReader, ranges: number[]): void {
  const length = reader.length()
  const start = reader.take(length)
  ranges.push(start, start + length)
}

const nameTag = bytesTag(1)
const datatypeTag = bytesTag(2)
const shapeTag = bytesTag(3)
const dimTag = (3 << 3) | wireType.varint
const inputParametersTag = bytesTag(4)
const contentsTag = bytesTag(5)

function readInput(reader: ProtoReader): WireInput {
  const input: WireInput = { name: '', datatype: '', shape: [], parameters: undefined, contents: undefined }
  const outer = reader.enter()
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === nameTag) input.name = reader.string()
    else if (tag === datatypeTag) input.datatype = reader.string()
    else if (tag === shapeTag) readShape(reader, input.shape)
    else if (tag === dimTag) readDim(reader, input.shape)
    else if (tag === contentsTag) {
      input.contents ??= []
      readRange(reader, input.contents)
    } else if (tag === inputParametersTag) {
      input.parameters ??= new Map()
      readParameterEntry(reader, input.parameters)
    } else skipField(reader, tag)
  }
  reader.leave(outer)
  return input
}

function readShape(reader: ProtoReader, shape: number[]): void {
  const outer = reader.enter()
  while (reader.hasMore) readDim(reader, shape)
  reader.leave(outer)
}

function readDim(reader: ProtoReader, shape: number[]): void {
  expectRoom(shape.length, 'dimensions of an input')
  shape.push(Number(reader.int64()))
}

const outputParametersTag = bytesTag(2)

function readOutput(reader: ProtoReader): WireOutput {
  const output: WireOutput = { name: '', parameters: undefined }
  const outer = reader.enter()
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === nameTag) output.name = reader.string()
    else if (tag === outputParametersTag) {
      output.parameters ??= new Map()
      readParameterEntry(reader, output.parameters)
    } else skipField(reader, tag)
  }
  reader.leave(outer)
  return output
}

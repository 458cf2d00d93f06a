import { type DataType, isDataType, type SharedMemory, Tensor, TritonError } from '@triton-ts/core'
import type { ProtoReader } from '../wire/proto-reader.ts'
import type { GrpcRequest } from './grpc-request.ts'
import { readClasses, readRegion } from './tensor-parameters.ts'
import { readTypedContents } from './typed-contents.ts'
import type { WireInput, WireRequest } from './wire-request.ts'

/** What Triton calls a type that it does not know. No input has it, so the request is refused where Triton refuses it. */
const unknownType = '<invalid>' as DataType

/**
 * The inputs of a request with their data: raw, typed, or in shared memory. Source: Triton, `InferGRPCToInput`.
 * @throws TritonError with Triton's texts.
 */
export function readInputs(reader: ProtoReader, wire: WireRequest, request: GrpcRequest, memory: SharedMemory): void {
  const { modelName, rawContents } = wire
  let raw = 0
  for (const input of wire.inputs) {
    const { name, contents } = input
    const datatype = isDataType(input.datatype) ? input.datatype : unknownType
    const region = readRegion(name, input.parameters)
    let bytes: Uint8Array
    if (region !== undefined) {
      if (contents !== undefined) {
        throw invalid(`unexpected 'content' provided when using shared memory for ${subject(input, modelName)}`)
      }
      bytes = request.useRegions(memory).input(region)
    } else if (contents !== undefined) {
      if (rawContents.length > 0) {
        throw invalid(
          `contents field must not be specified when using raw_input_contents for '${name}' for model '${modelName}'`,
        )
      }
      bytes = readTypedContents(reader, contents, { name, datatype, modelName })
    } else if (raw < rawContents.length) {
      bytes = reader.bytes.subarray(rawContents[raw] as number, rawContents[raw + 1] as number)
      raw += 2
    } else throw invalid(`unable to find data for ${subject(input, modelName)} in request.`)
    request.inputs.push({ name, tensor: Tensor.fromBytes(datatype, input.shape, bytes) })
  }
}

const subject = ({ name }: WireInput, modelName: string): string => `input tensor '${name}' for model '${modelName}'`

/**
 * The wanted outputs and their forms. Source: Triton, `InferAllocatorPayload`.
 * @throws TritonError with Triton's texts.
 */
export function readOutputs(wire: WireRequest, request: GrpcRequest, memory: SharedMemory): void {
  if (wire.outputs.length === 0) return
  // Triton runs models with the wanted outputs in order of their names, each once.
  request.outputs = [...new Set(wire.outputs.map(({ name }) => name))].sort()
  for (const { name, parameters } of wire.outputs) {
    if (parameters === undefined) continue
    const region = readRegion(name, parameters)
    const classes = readClasses(parameters)
    if (region !== undefined && classes > 0) {
      throw invalid("output can't set both 'shared_memory_region' and 'classification'")
    }
    if (region !== undefined) request.useRegions(memory).addOutput(name, region)
    else if (classes > 0) {
      request.classes ??= new Map()
      if (!request.classes.has(name)) request.classes.set(name, classes)
    }
  }
}

const invalid = (message: string): TritonError => new TritonError('INVALID_ARG', message)

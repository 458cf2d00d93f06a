import { isDataType, type SharedMemory, Tensor, TritonError } from '@triton-ts/core'
import type { JsonArray } from '../json/json-array.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { InferMessage } from './infer-message.ts'
import { asBoolean, asString, asUint64, find, memberAsArray, memberAsString } from './json-access.ts'
import { jsonTensor } from './json-tensor.ts'
import { readParameters } from './read-parameters.ts'
import { readRegion } from './read-region.ts'
import { readShape } from './read-shape.ts'

/** What the pieces of a request are read for. */
export interface InferTarget {
  readonly modelName: string
  readonly maxInputSize: number
  /** Where regions that inputs and outputs name are looked up. */
  readonly sharedMemory: SharedMemory
}

/**
 * Reads an inference request into `message`: JSON, and behind it the binary tensors in the order of the inputs. Checks are
 * made in Triton's order, so that the first of several mistakes is the one that is named.
 * @throws TritonError
 */
export function readInferMessage(
  document: JsonValue,
  binary: Uint8Array,
  target: InferTarget,
  message: InferMessage,
): void {
  const id = find(document, 'id')
  if (id !== undefined) message.id = asString(id, "Unable to parse 'id'")
  readParameters(document, message)
  readInputs(memberAsArray(document, 'inputs'), binary, target, message)
  const outputs = find(document, 'outputs')
  if (outputs !== undefined) readOutputs(memberAsArray(document, 'outputs'), target, message)
}

function readInputs(inputs: JsonArray, binary: Uint8Array, target: InferTarget, message: InferMessage): void {
  let taken = 0
  const size = elementsOf(inputs)
  for (let i = 0; i < size; i++) {
    const input = inputs.items?.[i]
    const parameters = find(input, 'parameters')
    const binarySize = find(parameters, 'binary_data_size')
    const region = find(parameters, 'shared_memory_region')
    checkContent(find(input, 'data') !== undefined, binarySize !== undefined, region !== undefined)
    const name = memberAsString(input, 'name')
    const datatype = memberAsString(input, 'datatype')
    const shape = readShape(memberAsArray(input, 'shape'), name)
    let tensor: Tensor
    if (binarySize !== undefined) {
      const bytes = Number(asUint64(binarySize, "Unable to parse 'binary_data_size'"))
      const missing = taken + bytes - binary.byteLength
      if (missing > 0) {
        throw new TritonError(
          'INVALID_ARG',
          `unexpected size for input '${name}', expecting ${missing} additional bytes for model '${target.modelName}'`,
        )
      }
      if (!isDataType(datatype)) throw invalidDatatype(name)
      tensor = Tensor.fromBytes(datatype, shape, binary.subarray(taken, taken + bytes))
      taken += bytes
    } else if (region !== undefined) {
      if (!isDataType(datatype)) throw invalidDatatype(name)
      const bytes = message.useRegions(target.sharedMemory).input(readRegion(parameters, region))
      tensor = Tensor.fromBytes(datatype, shape, bytes)
    } else tensor = jsonTensor(input as JsonValue, name, datatype, shape, target.maxInputSize)
    message.inputs.push({ name, tensor })
  }
  if (taken < binary.byteLength) {
    throw new TritonError('INVALID_ARG', `unexpected additional input data for model '${target.modelName}'`)
  }
}

/** Elements of a list of objects; one that holds anything else is given up at its first element. */
function elementsOf(array: JsonArray): number {
  return array.items?.length ?? (array.count > 0 || array.depth > 1 ? 1 : 0)
}

function readOutputs(outputs: JsonArray, { sharedMemory }: InferTarget, message: InferMessage): void {
  const size = elementsOf(outputs)
  for (let i = 0; i < size; i++) {
    const output = outputs.items?.[i]
    const parameters = find(output, 'parameters')
    const region = find(parameters, 'shared_memory_region')
    const classification = find(parameters, 'classification')
    const binaryData = find(parameters, 'binary_data')
    if (region !== undefined) {
      const other = conflict(classification, binaryData)
      if (other !== undefined) {
        throw new TritonError('INVALID_ARG', `Output can't set both 'shared_memory_region' and '${other}'`)
      }
    }
    const name = memberAsString(output, 'name')
    const classes =
      classification === undefined ? 0 : Number(asUint64(classification, "Unable to set 'classification'"))
    if (region !== undefined) message.useRegions(sharedMemory).addOutput(name, readRegion(parameters, region))
    const binary = binaryData !== undefined && asBoolean(binaryData, "Unable to parse 'binary_data'")
    message.addOutput(name, { binary, classes })
  }
  message.finishOutputs()
}

function conflict(classification: JsonValue | undefined, binaryData: JsonValue | undefined): string | undefined {
  if (classification !== undefined) return 'classification'
  return binaryData !== undefined && asBoolean(binaryData, "Unable to set 'binary_data'") ? 'binary_data' : undefined
}

function checkContent(data: boolean, binary: boolean, region: boolean): void {
  if (Number(data) + Number(binary) + Number(region) === 1) return
  const set = `${data ? " 'data'" : ''}${binary ? " 'binary_data_size'" : ''}${region ? " 'shared_memory_region'" : ''}`
  throw new TritonError(
    'INVALID_ARG',
    "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', " +
      `'shared_memory_region' in 'parameters'. But${set === '' ? ' no field is set' : ` set${set}`}`,
  )
}

export function invalidDatatype(name: string): TritonError {
  return new TritonError('INVALID_ARG', `invalid datatype for input ${name}`)
}

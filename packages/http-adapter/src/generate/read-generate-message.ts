import { type TensorMetadata, TritonError } from '@triton-ts/core'
import { JsonObject, type JsonValue } from '../json/json-value.ts'
import { InferMessage } from '../kserve/infer-message.ts'
import { asObject, asString } from '../kserve/json-access.ts'
import { setParameter } from '../kserve/read-parameters.ts'
import { generateTensor } from './generate-tensor.ts'
import { InputRoom } from './input-room.ts'

/** The member whose members count as if they were beside it. */
const nestedKey = 'parameters'

/** What the members of a request are read for. */
export interface GenerateTarget {
  readonly inputs: ReadonlyMap<string, TensorMetadata>
  readonly maxInputSize: number
}

/**
 * Reads a request of the generate extension: a member whose name is that of an input is its tensor, every other one a
 * request parameter. Names that parameters of the inference protocol have mean nothing here.
 * Source: Triton, server/src/http_server.cc, ConvertGenerateRequest.
 * @throws TritonError
 */
export function readGenerateMessage(document: JsonValue, target: GenerateTarget): InferMessage {
  const message = new InferMessage()
  const object = asObject(document, '')
  const id = object.get('id')
  if (id !== undefined) message.id = asString(id, "Unable to parse 'id'")
  readMembers(object, target, message, true)
  return message
}

function readMembers(object: JsonObject, target: GenerateTarget, message: InferMessage, mayNest: boolean): void {
  const room = new InputRoom(target.maxInputSize)
  for (const name of object.keys) {
    // Of several members of one name the first counts, each time.
    const value = object.get(name) as JsonValue
    const input = target.inputs.get(name)
    if (mayNest && name === nestedKey) readNested(value, target, message)
    else if (input === undefined) setParameter(message, name, value)
    else message.inputs.push({ name, tensor: generateTensor(value, input, room) })
  }
}

function readNested(value: JsonValue, target: GenerateTarget, message: InferMessage): void {
  if (target.inputs.has(nestedKey)) {
    const text = `Keyword '${nestedKey}' for nested schema also given as input tensor name`
    throw new TritonError('INVALID_ARG', text)
  }
  if (!(value instanceof JsonObject)) {
    const text = `Expected JSON object for keyword: '${nestedKey}': attempt to access JSON non-object as object`
    throw new TritonError('INTERNAL', text)
  }
  try {
    readMembers(value, target, message, false)
  } catch (error) {
    if (!(error instanceof TritonError)) throw error
    throw new TritonError(error.code, `Converting keyword: '${nestedKey}': ${error.message}`)
  }
}

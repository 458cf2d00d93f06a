import { TritonError } from '@triton-ts/core'
import { JsonNumber, type JsonObject, type JsonValue, maxInt64 } from '../json/json-value.ts'
import type { InferMessage } from './infer-message.ts'
import { asBoolean, asObject, asUint64, find } from './json-access.ts'

/** Reads the request's `parameters`: those that the protocol knows, and the model's own. */
export function readParameters(document: JsonValue, message: InferMessage): void {
  const parameters = find(document, 'parameters')
  if (parameters === undefined) return
  const { keys, values } = asObject(parameters, 'failed to get request params.')
  for (let i = 0; i < keys.length; i++) {
    const name = keys[i] as string
    const value = values[i] as JsonValue
    const label = `Unable to parse '${name}'`
    switch (name) {
      case 'sequence_id':
        message.correlationId ??= typeof value === 'string' ? value : sequenceId(value)
        break
      case 'sequence_start':
        message.sequenceStart ??= asBoolean(value, label)
        break
      case 'sequence_end':
        message.sequenceEnd ??= asBoolean(value, label)
        break
      case 'priority':
        message.priority ??= Number(asUint64(value, label))
        break
      case 'timeout':
        message.timeoutMicroseconds ??= Number(asUint64(value, label))
        break
      case 'binary_data_output':
        message.binaryOutput = asBoolean((parameters as JsonObject).get(name) as JsonValue, label)
        break
      default:
        setModelParameter(message, name, value)
    }
  }
}

function sequenceId(value: JsonValue): number | bigint {
  if (value instanceof JsonNumber && value.integer !== undefined && value.integer >= 0) return value.integer
  throw new TritonError('INTERNAL', "Unable to parse 'sequence_id': attempt to access JSON non-string as string")
}

function setModelParameter(message: InferMessage, name: string, value: JsonValue): void {
  if (name.startsWith('triton_')) {
    throw new TritonError(
      'INVALID_ARG',
      "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
    )
  }
  // The first of several members of one name counts.
  if (message.parameters !== undefined && name in message.parameters) return
  setParameter(message, name, value)
}

/** @throws TritonError INVALID_ARG for null, an array and an object. */
export function setParameter(message: InferMessage, name: string, value: JsonValue): void {
  if (typeof value === 'string' || typeof value === 'boolean') message.setParameter(name, value)
  else if (value instanceof JsonNumber) {
    const { integer } = value
    message.setParameter(name, integer !== undefined && integer <= maxInt64 ? integer : value.value)
  } else {
    throw new TritonError(
      'INVALID_ARG',
      `parameter '${name}' has invalid type. It should be either 'int', 'bool', or 'string'.`,
    )
  }
}

import { TritonError } from '@triton-ts/core'
import { JsonArray } from '../json/json-array.ts'
import { JsonNumber, JsonObject, type JsonValue } from '../json/json-value.ts'

/** Access to JSON values with the errors of Triton's JSON wrapper, which are all INTERNAL. Source: triton_json.h. */
const refuse = (label: string, text: string): TritonError =>
  new TritonError('INTERNAL', label === '' ? text : `${label}: ${text}`)

/** The member, or undefined when there is none or the value is no object. */
export function find(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value instanceof JsonObject ? value.get(name) : undefined
}

/** @param label names what is parsed, in front of the error; `''` for nothing. */
export function asString(value: JsonValue, label: string): string {
  if (typeof value === 'string') return value
  throw refuse(label, 'attempt to access JSON non-string as string')
}

export function asBoolean(value: JsonValue, label: string): boolean {
  if (typeof value === 'boolean') return value
  throw refuse(label, 'attempt to access JSON non-boolean as boolean')
}

/** An unsigned 64-bit integer; a bigint where a double is not exact. */
export function asUint64(value: JsonValue, label: string): number | bigint {
  const integer = value instanceof JsonNumber ? value.integer : undefined
  if (integer !== undefined && integer >= 0) return integer
  throw refuse(label, 'attempt to access JSON non-unsigned-integer as unsigned-integer')
}

export function memberAsString(value: JsonValue | undefined, name: string): string {
  return asString(member(value, name), `Unable to parse '${name}'`)
}

export function memberAsArray(value: JsonValue | undefined, name: string): JsonArray {
  const array = member(value, name)
  if (array instanceof JsonArray) return array
  throw refuse(`Unable to parse '${name}'`, 'attempt to access JSON non-array as array')
}

function member(value: JsonValue | undefined, name: string): JsonValue {
  const found = find(value, name)
  if (found !== undefined) return found
  throw refuse(`Unable to parse '${name}'`, `attempt to access non-existing object member '${name}'`)
}

/** An object whose members are to be listed. */
export function asObject(value: JsonValue, label: string): JsonObject {
  if (value instanceof JsonObject) return value
  throw refuse(label, 'attempt to get members for non-object')
}

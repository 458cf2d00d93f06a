import { TritonError, unpackBytes } from '@triton-ts/core'
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

/** The elements of an array of strings. */
export function asStrings(array: JsonArray, label: string): string[] {
  if (array.kind === 'empty' && array.depth === 1) return []
  const areStrings = array.kind === 'strings' && array.depth === 1 && array.mixedAt > array.count
  if (!areStrings) throw refuse(label, 'attempt to access JSON non-string as string')
  return unpackBytes(array.bytes).map((element) => Buffer.from(element).toString())
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
  const label = `Unable to parse '${name}'`
  return asString(member(value, name, label), label)
}

export function memberAsArray(value: JsonValue | undefined, name: string): JsonArray {
  const label = `Unable to parse '${name}'`
  const array = member(value, name, label)
  if (array instanceof JsonArray) return array
  throw refuse(label, 'attempt to access JSON non-array as array')
}

/** A member that has to be there. */
export function member(value: JsonValue | undefined, name: string, label: string): JsonValue {
  const found = find(value, name)
  if (found !== undefined) return found
  throw refuse(label, `attempt to access non-existing object member '${name}'`)
}

/** An object whose members are to be listed. */
export function asObject(value: JsonValue, label: string): JsonObject {
  if (value instanceof JsonObject) return value
  throw refuse(label, 'attempt to get members for non-object')
}

import { TritonError } from '@triton-ts/core'
import type { ProtoReader } from '../wire/proto-reader.ts'
import { skipField } from '../wire/skip-field.ts'
import { wireType } from '../wire/wire-type.ts'

/** `inference.InferParameter`: which of its fields is set, and to what. */
export type InferParameter =
  | { readonly choice: 'bool_param'; readonly value: boolean }
  | { readonly choice: 'int64_param' | 'uint64_param'; readonly value: number | bigint }
  | { readonly choice: 'string_param'; readonly value: string }
  | { readonly choice: 'double_param'; readonly value: number }
  | { readonly choice: 'none' }

export type InferParameters = Map<string, InferParameter>

/** Parameters, inputs, outputs and dimensions that a request may have, each: they take far more memory than bytes in a message. */
export const maxEntries = 1 << 16

/** @throws TritonError INVALID_ARG for more entries than are taken. */
export function expectRoom(entries: number, what: string): void {
  if (entries < maxEntries) return
  throw new TritonError('INVALID_ARG', `a request has more than ${maxEntries} ${what}`)
}

const none: InferParameter = { choice: 'none' }

/** Reads an entry of a map of parameters; the last one of a name counts. */
export function readParameterEntry(reader: ProtoReader, parameters: InferParameters): void {
  expectRoom(parameters.size, 'parameters')
  let name = ''
  let parameter = none
  const outer = reader.enter()
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === nameTag) name = reader.string()
    else if (tag === valueTag) parameter = readParameter(reader, parameter)
    else skipField(reader, tag)
  }
  reader.leave(outer)
  parameters.set(name, parameter)
}

const nameTag = (1 << 3) | wireType.bytes
const valueTag = (2 << 3) | wireType.bytes

const boolTag = (1 << 3) | wireType.varint
const int64Tag = (2 << 3) | wireType.varint
const stringTag = (3 << 3) | wireType.bytes
const doubleTag = (4 << 3) | wireType.fixed64
const uint64Tag = (5 << 3) | wireType.varint

function readParameter(reader: ProtoReader, before: InferParameter): InferParameter {
  let parameter = before
  const outer = reader.enter()
  while (reader.hasMore) {
    const tag = reader.tag()
    if (tag === boolTag) parameter = { choice: 'bool_param', value: reader.bool() }
    else if (tag === int64Tag) parameter = { choice: 'int64_param', value: reader.int64() }
    else if (tag === stringTag) parameter = { choice: 'string_param', value: reader.string() }
    else if (tag === doubleTag) parameter = { choice: 'double_param', value: reader.double() }
    else if (tag === uint64Tag) parameter = { choice: 'uint64_param', value: reader.uint64() }
    else skipField(reader, tag)
  }
  reader.leave(outer)
  return parameter
}

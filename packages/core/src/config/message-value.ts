import { type FieldSchema, isEnum, isMessage, type MessageSchema } from './schema/field.ts'

/** A message while it is being read: camelCase keys, values as `ModelConfig` has them. */
export type MessageValue = Record<string, unknown>

/** A message with every scalar, list and map at its default; sub-messages and members of a oneof are absent. */
export function createMessage(schema: MessageSchema): MessageValue {
  const value: MessageValue = {}
  for (const field of schema.fields) {
    const initial = defaultValue(field)
    if (initial !== undefined) value[field.key] = initial
  }
  return value
}

/** A map without a prototype, so that no key (`constructor`, `__proto__`) means anything special. */
export const createMap = (): MessageValue => Object.create(null) as MessageValue

/** Whether protobuf calls the field present: a plain scalar at its default is not. */
export function isPresent(field: FieldSchema, message: MessageValue): boolean {
  const value = message[field.key]
  if (Array.isArray(value)) return value.length > 0
  if (field.entry) return Object.keys(value as MessageValue).length > 0
  return value !== defaultValue(field)
}

/** The member of the field's oneof that is set already, if it is another one. */
export function oneofRival(schema: MessageSchema, field: FieldSchema, message: MessageValue): FieldSchema | undefined {
  if (field.oneof === undefined) return undefined
  return schema.fields.find((other) => other.oneof === field.oneof && other !== field && isPresent(other, message))
}

/** Freezes the value and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}

function defaultValue({ type, repeated, entry, oneof }: FieldSchema): unknown {
  if (repeated) return []
  if (entry) return createMap()
  if (oneof !== undefined || isMessage(type)) return undefined
  if (isEnum(type)) return type.values.keys().next().value
  if (type === 'string') return ''
  return type === 'bool' ? false : 0
}

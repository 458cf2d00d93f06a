import { isPresent, type MessageValue } from './message-value.ts'
import type { ModelConfig } from './model-config.ts'
import { integerText, isInteger } from './scalar.ts'
import { type FieldSchema, isEnum, isMessage, type MessageSchema } from './schema/field.ts'
import { modelConfigSchema } from './schema.ts'

/**
 * The JSON of a model configuration, as Triton's `GET /v2/models/<model>/config` answers it: snake_case names, every
 * scalar, list and map even at its default, sub-messages and members of a oneof only where they are set.
 */
export function modelConfigToJson(config: ModelConfig): Record<string, unknown> {
  return messageToJson(modelConfigSchema, config as unknown as MessageValue)
}

function messageToJson(schema: MessageSchema, message: MessageValue): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const field of schema.fields) {
    const value = message[field.key]
    const isHidden = value === undefined || (field.hideDefault && !isPresent(field, message))
    if (!isHidden) json[field.name] = fieldToJson(field, value)
  }
  return json
}

function fieldToJson(field: FieldSchema, value: unknown): unknown {
  if (field.repeated) return (value as readonly unknown[]).map((element) => valueToJson(field, element))
  if (!field.entry) return valueToJson(field, value)
  const json = Object.create(null) as Record<string, unknown>
  for (const [key, member] of Object.entries(value as MessageValue)) json[key] = valueToJson(field, member)
  return json
}

function valueToJson({ type, jsonText }: FieldSchema, value: unknown): unknown {
  if (isMessage(type)) return messageToJson(type, value as MessageValue)
  if (isEnum(type)) return type.values.has(value as string) ? value : Number(value)
  if (typeof value !== 'number') return value
  if (jsonText && isInteger(type)) return integerText(type, value)
  return Number.isFinite(value) ? value : String(value)
}

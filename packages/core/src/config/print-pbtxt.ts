import { isPresent, type MessageValue } from './message-value.ts'
import type { ModelConfig } from './model-config.ts'
import { integerText, isInteger } from './scalar.ts'
import { type FieldSchema, isEnum, isMessage, type MessageSchema } from './schema/field.ts'
import { modelConfigSchema } from './schema.ts'

/** The configuration as the text of a `config.pbtxt`, without the fields that have protobuf's default. */
export function modelConfigToPbtxt(config: ModelConfig): string {
  return printFields(modelConfigSchema, config as unknown as MessageValue, '')
}

function printFields(schema: MessageSchema, message: MessageValue, indent: string): string {
  return schema.fields
    .filter((field) => isPresent(field, message))
    .map((field) => printField(field, message[field.key], indent))
    .join('')
}

function printField(field: FieldSchema, value: unknown, indent: string): string {
  const { name, type, entry } = field
  if (entry) {
    const entries = Object.entries(value as MessageValue).map(([key, member]) => ({ key, value: member }))
    return entries.map((member) => `${indent}${name} ${printValue(entry, member, indent)}\n`).join('')
  }
  if (!field.repeated) return `${indent}${name}${isMessage(type) ? '' : ':'} ${printValue(type, value, indent)}\n`
  const elements = value as readonly unknown[]
  if (!isMessage(type)) {
    return `${indent}${name}: [ ${elements.map((element) => printValue(type, element, indent)).join(', ')} ]\n`
  }
  const inner = `${indent}  `
  const lines = elements.map((element) => `${inner}${printValue(type, element, inner)}`)
  return `${indent}${name} [\n${lines.join(',\n')}\n${indent}]\n`
}

function printValue(type: FieldSchema['type'], value: unknown, indent: string): string {
  if (isMessage(type)) {
    const fields = printFields(type, value as MessageValue, `${indent}  `)
    return fields === '' ? '{ }' : `{\n${fields}${indent}}`
  }
  if (type === 'string') return quote(value as string)
  if (isInteger(type)) return integerText(type, Number(value))
  if (isEnum(type) || type === 'bool' || Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'nan' : String(value).replace('Infinity', 'inf')
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function quote(text: string): string {
  const escaped = text.replace(/[\\"\p{Cc}]/gu, (char) => {
    if (char === '\\' || char === '"') return `\\${char}`
    return shortEscapes.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}

import type { ParameterValue } from '@triton-ts/core'
import type { ParameterMessage, ParameterMessages } from './messages.ts'

/**
 * Parameters as JSON text. Python has whole numbers of any size and tells them from fractions: a number that is whole but
 * not exact was a fraction, so it is written as one.
 */
export function parametersJson(parameters: Readonly<Record<string, ParameterValue>>): string {
  let json = '{'
  for (const [name, value] of Object.entries(parameters)) {
    json += `${json.length === 1 ? '' : ','}${JSON.stringify(name)}:${valueJson(value)}`
  }
  return `${json}}`
}

function valueJson(value: ParameterValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return String(value)
  return Number.isFinite(value) ? fraction(value) : `{"f":"${value}"}`
}

const fraction = (value: number): string => (Number.isInteger(value) ? value.toExponential() : String(value))

export function fromParameterMessage(value: ParameterMessage): ParameterValue {
  if (typeof value !== 'object') return value
  return 'u' in value ? BigInt(value.u) : Number(value.f)
}

export const fromParameterMessages = (messages: ParameterMessages): Record<string, ParameterValue> =>
  Object.fromEntries(Object.entries(messages).map(([name, value]) => [name, fromParameterMessage(value)]))

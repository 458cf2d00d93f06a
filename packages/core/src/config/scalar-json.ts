import { expectation, isInteger, type Reading, readEnumName, readEnumNumber, readInteger, toFloat } from './scalar.ts'
import { type EnumSchema, type FieldSchema, isEnum } from './schema/field.ts'

const specialFloats: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

/** Reads a scalar by protobuf's JSON mapping. */
export function readJsonScalar(type: FieldSchema['type'], value: unknown): Reading {
  const reading = isEnum(type) ? readEnum(type, value) : readPlain(type, value)
  return (
    reading ?? { problem: `expected ${expectation(type).replace(' in quotes', '')} but found ${describeValue(value)}` }
  )
}

function readPlain(type: FieldSchema['type'], value: unknown): Reading | undefined {
  if (type === 'string') return typeof value === 'string' ? { value } : undefined
  if (type === 'bool') return typeof value === 'boolean' ? { value } : undefined
  if (type === 'float' || type === 'double') {
    const number = floatOf(value)
    return number === undefined ? undefined : { value: toFloat(type, number) }
  }
  const integer = integerOf(value)
  return isInteger(type) && integer !== undefined ? readInteger(type, integer) : undefined
}

function readEnum(type: EnumSchema, value: unknown): Reading | undefined {
  if (typeof value !== 'string') {
    const integer = typeof value === 'number' ? integerOf(value) : undefined
    return integer === undefined ? undefined : readEnumNumber(type, integer)
  }
  const wanted = value.toUpperCase()
  const known = [...type.values.keys(), ...type.aliases.keys()].find((name) => name.toUpperCase() === wanted)
  if (known !== undefined) return readEnumName(type, known)
  return /^-?\d{1,30}$/.test(value) ? readEnumNumber(type, BigInt(value)) : readEnumName(type, value)
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'string' && /^-?\d{1,30}$/.test(value)) return BigInt(value)
  const number = typeof value === 'string' ? numberOf(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? BigInt(number) : undefined
}

function floatOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'string' ? (specialFloats.get(value) ?? numberOf(value)) : undefined
}

function numberOf(text: string): number | undefined {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}

/** An array or a typed array. */
export const isList = (value: unknown): value is Iterable<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && Symbol.iterator in value)

/** The value as an error message names it. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (isList(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 40 ? `${text.slice(0, 40)}...` : text
}

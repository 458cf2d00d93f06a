import { type EnumSchema, type FieldSchema, isEnum, type ScalarType } from './schema/field.ts'
import { suggest } from './suggest.ts'

/** A value as it was read, perhaps with something to say about it, or the reason why it is none. */
export type Reading = { readonly value: unknown; readonly note?: string } | { readonly problem: string }

const ranges = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
} as const

export type IntegerType = keyof typeof ranges

export const isInteger = (type: FieldSchema['type']): type is IntegerType =>
  typeof type === 'string' && Object.hasOwn(ranges, type)

/** An integer that must fit the type. Beyond 2^53 the configuration keeps the nearest number and a note says so. */
export function readInteger(type: IntegerType, value: bigint): Reading {
  const [least, greatest] = ranges[type]
  if (value < least || value > greatest) {
    const text = value.toString().length > 40 ? 'the number' : `${value}`
    return { problem: `${text} is out of range for ${type} (${least} to ${greatest})` }
  }
  const number = Number(value)
  if (BigInt(number) === value) return { value: number }
  return { value: number, note: `${value} is kept as ${BigInt(number)}, the nearest number with 53 significant bits` }
}

/** An integer as decimal text that the type can hold, although 2^64 - 1 is kept as the number 2^64. */
export function integerText(type: IntegerType, value: number): string {
  const [least, greatest] = ranges[type]
  const exact = BigInt(value)
  return `${exact > greatest ? greatest : exact < least ? least : exact}`
}

/**
 * A float field's value: rounded to 32 bits, as the number with the shortest decimal form that stands for it. Minus
 * zero becomes zero.
 */
export function toFloat(type: 'float' | 'double', value: number): number {
  if (type === 'double' || !Number.isFinite(value)) return value + 0
  const rounded = Math.fround(value) + 0
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(rounded.toPrecision(digits))
    if (Math.fround(short) === rounded) return short
  }
  return Number(rounded.toPrecision(9))
}

/** The enum value of that name. */
export function readEnumName(type: EnumSchema, name: string): Reading {
  if (type.values.has(name)) return { value: name }
  const alias = type.aliases.get(name)
  if (alias !== undefined) return { value: alias, note: `Triton does not know ${name}; it is read as ${alias}` }
  return { problem: `unknown value '${name}' of ${type.name}${suggest(name, type.values.keys())}` }
}

/** The enum value of that number. Protobuf keeps a number without a name; so do we, as its decimal text. */
export function readEnumNumber(type: EnumSchema, number: bigint): Reading {
  const inRange = readInteger('int32', number)
  if ('problem' in inRange) return inRange
  for (const [name, value] of type.values) if (BigInt(value) === number) return { value: name }
  return { value: `${number}`, note: `${type.name} has no value ${number}` }
}

/** What a field of the type takes, for an error message. */
export function expectation(type: FieldSchema['type']): string {
  if (typeof type === 'string') return scalarExpectations[type]
  if (!isEnum(type)) return "'{'"
  const names = [...type.values.keys()]
  return names.length <= 6
    ? `one of ${names.join(', ')}`
    : `a value of ${type.name}, such as ${names[names.length - 2]}`
}

const scalarExpectations: Record<ScalarType, string> = {
  string: 'a string in quotes',
  bool: 'true or false',
  int32: 'an integer',
  int64: 'an integer',
  uint32: 'an integer',
  uint64: 'an integer',
  float: 'a number',
  double: 'a number',
}

import { describeToken, type Token } from './pbtxt-token.ts'
import { expectation, isInteger, type Reading, readEnumName, readEnumNumber, readInteger, toFloat } from './scalar.ts'
import { type EnumSchema, type FieldSchema, isEnum } from './schema/field.ts'

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['True', true],
  ['t', true],
  ['false', false],
  ['False', false],
  ['f', false],
])

const floats: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
])

/** Reads a scalar that is not a string from its one token and the minus before it. */
export function readScalarToken(type: FieldSchema['type'], token: Token, negative: boolean): Reading {
  const mismatch = { problem: `expected ${expectation(type)} but found ${describeToken(token)}` }
  if (isEnum(type)) return readEnum(type, token, negative) ?? mismatch
  if (type === 'bool') return readBool(token, negative) ?? mismatch
  if (type === 'float' || type === 'double') {
    const number = floatOf(token)
    return number === undefined ? mismatch : { value: toFloat(type, negative ? -number : number) }
  }
  if (!isInteger(type) || token.kind !== 'integer') return mismatch
  const integer = integerOf(token.text)
  return integer === undefined ? notOctal(token) : readInteger(type, negative ? -integer : integer)
}

function readEnum(type: EnumSchema, token: Token, negative: boolean): Reading | undefined {
  if (token.kind === 'name' && !negative) return readEnumName(type, token.text)
  if (token.kind === 'string' && type.values.has(token.text.slice(1, -1))) {
    return { problem: `${token.text.slice(1, -1)} is written without quotes` }
  }
  if (token.kind !== 'integer') return undefined
  const integer = integerOf(token.text)
  return integer === undefined ? notOctal(token) : readEnumNumber(type, negative ? -integer : integer)
}

function readBool(token: Token, negative: boolean): Reading | undefined {
  if (negative) return undefined
  const value = token.kind === 'integer' ? [false, true][Number(integerOf(token.text) ?? -1)] : booleans.get(token.text)
  return value === undefined ? undefined : { value }
}

function floatOf({ kind, text }: Token): number | undefined {
  if (kind === 'name') return floats.get(text.toLowerCase())
  if (kind === 'float') return Number(text.replace(/[fF]$/, ''))
  return kind === 'integer' && /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : undefined
}

/** An integer literal's value; undefined for `08`. No type holds more than 22 digits, so longer ones are cut to 30. */
function integerOf(text: string): bigint | undefined {
  const [, prefix = '', digits = ''] = /^(0[xX]|0(?=\d)|)0*(.*)$/.exec(text) ?? []
  const short = digits === '' ? '0' : digits.slice(0, 30)
  if (prefix === '') return BigInt(short)
  if (prefix !== '0') return BigInt(`0x${short}`)
  return /^[0-7]*$/.test(digits) ? BigInt(`0o${short}`) : undefined
}

const notOctal = (token: Token): Reading => ({
  problem: `${describeToken(token)} is not an octal number, which a leading 0 announces`,
})

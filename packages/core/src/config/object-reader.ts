import type { ConfigProblem } from './config-error.ts'
import { createMessage, isPresent, type MessageValue, oneofRival } from './message-value.ts'
import { isInteger, readInteger } from './scalar.ts'
import { describeValue, isList, readJsonScalar } from './scalar-json.ts'
import { type FieldSchema, isMessage, type MessageSchema } from './schema/field.ts'
import { suggest } from './suggest.ts'

/**
 * Reads messages from plain values by protobuf's JSON mapping: keys in snake_case or camelCase, null for a default,
 * enum values by name in any case or by number, 64-bit integers as numbers, strings or bigints.
 */
export class ObjectReader {
  readonly problems: ConfigProblem[] = []

  message(schema: MessageSchema, input: unknown, path: string): MessageValue {
    const message = createMessage(schema)
    if (!isObject(input)) {
      this.#report(path, `expected an object but found ${describeValue(input)}`)
      return message
    }
    for (const [key, value] of Object.entries(input)) {
      const field = schema.byName.get(key) ?? schema.byKey.get(key)
      const fieldPath = join(path, field?.name ?? key)
      if (field) this.#field(schema, field, message, value, fieldPath)
      else if (value !== undefined) {
        this.#report(fieldPath, `unknown field '${key}' in ${schema.name}${suggest(key, schema.byName.keys())}`)
      }
    }
    return message
  }

  #field(schema: MessageSchema, field: FieldSchema, message: MessageValue, value: unknown, path: string): void {
    if (value === undefined || value === null) return
    const rival = oneofRival(schema, field, message)
    if (isPresent(field, message)) this.#report(path, `'${field.name}' is specified multiple times`)
    else if (rival) this.#report(path, `'${field.name}' cannot be set together with '${rival.name}'`)
    else if (field.entry) this.#map(field, message[field.key] as MessageValue, value, path)
    else if (field.repeated) message[field.key] = this.#list(field, value, path)
    else {
      const read = this.#value(field.type, value, path)
      if (read !== undefined) message[field.key] = read
    }
  }

  #list(field: FieldSchema, value: unknown, path: string): unknown[] {
    if (!isList(value)) {
      this.#report(path, `expected an array but found ${describeValue(value)}`)
      return []
    }
    return Array.from(value, (element, index) => this.#value(field.type, element, `${path}[${index}]`))
  }

  #map(field: FieldSchema, map: MessageValue, value: unknown, path: string): void {
    if (!isObject(value)) {
      this.#report(path, `expected an object but found ${describeValue(value)}`)
      return
    }
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue
      const memberPath = `${path}[${JSON.stringify(key)}]`
      const keyType = field.entry?.byName.get('key')?.type
      const name = keyType !== undefined && isInteger(keyType) ? this.#integerKey(keyType, key, memberPath) : key
      map[name] = this.#value(field.type, member, memberPath)
    }
  }

  #integerKey(type: Parameters<typeof readInteger>[0], key: string, path: string): string {
    const reading = /^-?\d{1,30}$/.test(key) ? readInteger(type, BigInt(key)) : { problem: 'the key is not an integer' }
    if (!('problem' in reading)) return BigInt(key).toString()
    this.#report(path, reading.problem)
    return key
  }

  #value(type: FieldSchema['type'], value: unknown, path: string): unknown {
    if (isMessage(type)) return this.message(type, value, path)
    const reading = readJsonScalar(type, value)
    if (!('problem' in reading)) return reading.value
    this.#report(path, reading.problem)
    return undefined
  }

  #report(path: string, message: string): void {
    this.problems.push({ message, path })
  }
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !isList(value)

import type { JsonArray } from './json-array.ts'

export type JsonValue = string | boolean | null | JsonNumber | JsonArray | JsonObject

/** A number outside an array. */
export class JsonNumber {
  readonly value: number
  /** The exact value of a literal without fraction and exponent that fits 64 bits; a bigint where a double is not exact. */
  readonly integer: number | bigint | undefined

  constructor(value: number, integer: number | bigint | undefined) {
    this.value = value
    this.integer = integer
  }
}

/** An object as it was written: members in order, duplicates kept. */
export class JsonObject {
  readonly keys: string[] = []
  readonly values: JsonValue[] = []

  /** The first member of that name, as RapidJSON finds members. */
  get(name: string): JsonValue | undefined {
    const index = this.keys.indexOf(name)
    return index === -1 ? undefined : this.values[index]
  }
}

export const maxInt64 = 2n ** 63n - 1n
export const minInt64 = -(2n ** 63n)
export const maxUint64 = 2n ** 64n - 1n

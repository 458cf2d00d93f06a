/** Protobuf's scalar types, as far as a model configuration uses them. */
export type ScalarType = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'uint64' | 'float' | 'double'

/** A protobuf enum: its value names with their numbers, the default (0) first. */
export interface EnumSchema {
  readonly kind: 'enum'
  readonly name: string
  readonly values: ReadonlyMap<string, number>
  /** Names that Triton does not know but people write, and what they stand for. */
  readonly aliases: ReadonlyMap<string, string>
}

/** A protobuf message: its fields in the order of declaration, which is the order in which they are printed. */
export interface MessageSchema {
  readonly kind: 'message'
  /** As protobuf names it, after the messages that it is declared in: `ModelEnsembling.Step`. */
  readonly name: string
  readonly fields: readonly FieldSchema[]
  /** By snake_case name. */
  readonly byName: ReadonlyMap<string, FieldSchema>
  /** By camelCase key. */
  readonly byKey: ReadonlyMap<string, FieldSchema>
}

export interface FieldSchema {
  /** As protobuf and the text format spell it: `max_batch_size`. */
  readonly name: string
  /** As the TypeScript object and protobuf's JSON spell it: `maxBatchSize`. */
  readonly key: string
  readonly number: number
  readonly type: ScalarType | EnumSchema | MessageSchema
  readonly repeated: boolean
  /** Of a map: the message of one entry, with the fields `key` and `value`; `type` is then the value's type. */
  readonly entry?: MessageSchema
  /** Name of the group of fields of which at most one is set. */
  readonly oneof?: string
  /** Printed as a string in the JSON form although it is a number: Triton leaves some 64-bit integers like that. */
  readonly jsonText: boolean
  /** Left out of the JSON form at its default: a field that older servers, whose answers clients compare, lack. */
  readonly hideDefault: boolean
}

/** What a field is without its names. */
export interface FieldShape {
  readonly number: number
  readonly type: FieldSchema['type']
  readonly repeated?: boolean
  readonly mapKey?: 'string' | 'uint64'
  readonly oneof?: string
  readonly jsonText?: boolean
  readonly hideDefault?: boolean
}

type FieldType = FieldSchema['type']

export const single = (number: number, type: FieldType): FieldShape => ({ number, type })

export const list = (number: number, type: FieldType): FieldShape => ({ number, type, repeated: true })

export const map = (number: number, mapKey: 'string' | 'uint64', type: FieldType): FieldShape => ({
  number,
  type,
  mapKey,
})

export const choice = (oneof: string, number: number, type: FieldType): FieldShape => ({ number, type, oneof })

/** The field, but with its 64-bit integers printed as strings in the JSON form. */
export const textInJson = (shape: FieldShape): FieldShape => ({ ...shape, jsonText: true })

/** The field, but left out of the JSON form at its default. */
export const hideDefault = (shape: FieldShape): FieldShape => ({ ...shape, hideDefault: true })

/** An enum from its value names, numbered from 0. */
export function enumeration(name: string, names: readonly string[], aliases: Record<string, string> = {}): EnumSchema {
  return {
    kind: 'enum',
    name,
    values: new Map(names.map((value, number) => [value, number])),
    aliases: new Map(Object.entries(aliases)),
  }
}

export function message(name: string, shapes: Readonly<Record<string, FieldShape>>): MessageSchema {
  const fields = Object.entries(shapes).map(([fieldName, shape]) => toField(fieldName, shape))
  return {
    kind: 'message',
    name,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    byKey: new Map(fields.map((field) => [field.key, field])),
  }
}

export const isMessage = (type: FieldType): type is MessageSchema => typeof type === 'object' && type.kind === 'message'

export const isEnum = (type: FieldType): type is EnumSchema => typeof type === 'object' && type.kind === 'enum'

function toField(name: string, { mapKey, oneof, ...shape }: FieldShape): FieldSchema {
  const key = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const entry = mapKey && message(`${name} entry`, { key: single(1, mapKey), value: single(2, shape.type) })
  const field = { name, key, repeated: false, jsonText: false, hideDefault: false, ...shape }
  return { ...field, ...(entry && { entry }), ...(oneof && { oneof }) }
}

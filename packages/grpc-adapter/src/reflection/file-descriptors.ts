import protobuf from 'protobufjs'
import descriptor, { type IDescriptorProto } from 'protobufjs/ext/descriptor.js'

/** What the services consist of, as `google.protobuf.FileDescriptorProto` messages: one file for each package. */
export class FileDescriptors {
  readonly #root: protobuf.Root
  readonly #byPackage = new Map<string, Uint8Array>()
  readonly #byName = new Map<string, Uint8Array>()

  constructor(root: protobuf.Root) {
    this.#root = root
    for (const file of root.toDescriptor('proto3').file ?? []) {
      for (const message of file.messageType ?? [])
        finishMessage(root.lookupType(`${file.package}.${message.name}`), message)
      const bytes = descriptor.FileDescriptorProto.encode(file).finish()
      this.#byPackage.set(file.package ?? '', bytes)
      this.#byName.set(file.name ?? '', bytes)
    }
  }

  named(name: string): Uint8Array | undefined {
    return this.#byName.get(name)
  }

  /** The file that declares a service, a method, a message, an enum or a field, by its full name. */
  declaring(symbol: string): Uint8Array | undefined {
    const found = this.#root.lookup(symbol)
    if (found?.fullName !== `.${symbol}` || isPackage(found)) return undefined
    let scope: protobuf.ReflectionObject | null = found
    while (scope !== null && !isPackage(scope)) scope = scope.parent
    return this.#byPackage.get(scope?.fullName.slice(1) ?? '')
  }

  /** Whether there is a message of that full name. */
  hasMessage(name: string): boolean {
    const found = this.#root.lookup(name)
    return found instanceof protobuf.Type && found.fullName === `.${name}`
  }
}

const isPackage = (object: protobuf.ReflectionObject): boolean =>
  object instanceof protobuf.Namespace && !(object instanceof protobuf.Type || object instanceof protobuf.Service)

/** Says in full what protobufjs leaves to its reader: names of types, and those of the entries of maps. */
function finishMessage(type: protobuf.Type, message: IDescriptorProto): void {
  const entries = new Map<string, IDescriptorProto>()
  for (const nested of message.nestedType ?? []) {
    if (nested.options?.mapEntry) entries.set(nested.name ?? '', nested)
    else finishMessage(type.get(nested.name ?? '') as protobuf.Type, nested)
  }
  for (const field of message.field ?? []) {
    const { resolvedType, map } = type.fields[field.name ?? ''] as protobuf.Field
    const typeName = resolvedType?.fullName
    const entry = map ? entries.get(field.typeName ?? '') : undefined
    if (entry === undefined) {
      if (typeName !== undefined) field.typeName = typeName
      continue
    }
    entry.name = `${camelCase(field.name ?? '')}Entry`
    field.typeName = `${type.fullName}.${entry.name}`
    const value = entry.field?.find(({ name }) => name === 'value')
    if (value !== undefined && typeName !== undefined) value.typeName = typeName
  }
}

/** As protoc makes names of messages of those of fields. */
const camelCase = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

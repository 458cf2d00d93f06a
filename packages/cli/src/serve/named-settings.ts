/** Settings by name, then key: `{ local: { size: '1048576' } }`. */
export type NamedSettings = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Reads values `<name>,<key>=<value>` of a flag that may be given several times; of a key that comes twice the last
 * value holds.
 * @param defaultName stands for the name where a value may leave it out; else it may not.
 * @param refuse throws what is to be said of a value that is not of that form.
 */
export function namedSettings(
  values: readonly string[],
  refuse: (value: string) => never,
  defaultName?: string,
): NamedSettings {
  // Not an object, which would take the name `__proto__` for its own.
  const settings = new Map<string, Record<string, string>>()
  for (const value of values) {
    const [, name = defaultName, key, text] = /^(?:([^,]+),)?([^=]+)=(.+)$/s.exec(value) ?? []
    if (value.startsWith(',') || name === undefined || key === undefined || text === undefined) refuse(value)
    settings.set(name, { ...settings.get(name), [key]: text })
  }
  return Object.fromEntries(settings)
}

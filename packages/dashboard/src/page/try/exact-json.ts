/** JSON whose integers beyond 2^53 are kept, as bigint; where the browser tells how a number was written. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    const source = context?.source ?? ''
    return /^-?\d+$/.test(source) ? BigInt(source) : value
  })
}

/** The same as text again. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}

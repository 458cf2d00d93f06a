import { parseExact } from './exact-json.ts'

export type Element = number | bigint | boolean | string

export interface TypedElements {
  readonly elements: readonly Element[]
  /** Sizes of the lists that they were in, outermost first; none where the lists are not even. */
  readonly nesting: readonly number[]
}

/**
 * Reads what was typed for a tensor: a JSON list, nested or not, the brackets around it may be left out.
 * @throws Error that says what is wrong.
 */
export function readElements(text: string, datatype: string): TypedElements {
  const trimmed = text.trim()
  const value = parsed(trimmed.startsWith('[') ? trimmed : `[${trimmed}]`, datatype)
  const elements = (value as unknown[]).flat(Number.POSITIVE_INFINITY)
  return { elements: elements.map((element) => checked(element, datatype)), nesting: nestingOf(value) }
}

function parsed(text: string, datatype: string): unknown {
  try {
    return parseExact(text)
  } catch {
    const example = datatype === 'BYTES' ? '["one", "two"]' : datatype === 'BOOL' ? '[true, false]' : '[1, 2.5]'
    throw new Error(`not a list of values; write ${example}`)
  }
}

/** One element, of the kind that the type has. The server judges ranges. */
export function checked(element: unknown, datatype: string): Element {
  const kind = typeof element
  if (datatype === 'BYTES' && kind === 'string') return element as string
  if (datatype === 'BOOL' && (kind === 'boolean' || element === 0 || element === 1)) return Boolean(element)
  const isNumber = kind === 'number' || kind === 'bigint'
  if (datatype !== 'BYTES' && datatype !== 'BOOL' && isNumber) return element as number | bigint
  throw new Error(`${JSON.stringify(element)} is no ${datatype} value`)
}

function nestingOf(value: unknown): number[] {
  const sizes: number[] = []
  let level: unknown[] = [value]
  while (level.length > 0 && level.every(Array.isArray)) {
    const [first = []] = level as unknown[][]
    if ((level as unknown[][]).some((list) => list.length !== first.length)) return []
    sizes.push(first.length)
    level = level.flat()
  }
  return sizes
}

/** What a string literal stands for, or why it stands for nothing. */
export type DecodedString = { readonly value: string } | { readonly problem: string }

const simpleEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}

/** An octal byte, a hex byte, a code point (perhaps as a pair of surrogates), or one other character. */
const escapePattern =
  /\\(?:([0-7]{1,3})|[xX]([0-9A-Fa-f]{1,2})|((?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})(?:\\u[dD][c-fC-F][0-9A-Fa-f]{2})?)|([\s\S]?))/g

/**
 * Joins adjacent literals of the text format, quotes included, into the string that they stand for. Octal and hex
 * escapes are bytes, so several of them (in several literals, too) may make up one UTF-8 character.
 */
export function decodeString(literals: readonly string[]): DecodedString {
  const bodies = literals.map((literal) => literal.slice(1, -1))
  if (bodies.every((body) => !body.includes('\\'))) return { value: bodies.join('') }
  const pieces: Uint8Array[] = []
  for (const body of bodies) {
    const problem = unescapeInto(pieces, body)
    if (problem !== undefined) return { problem }
  }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { value: decoder.decode(Buffer.concat(pieces)) }
  } catch {
    return { problem: 'the escapes of the string do not make valid UTF-8' }
  }
}

/** Adds the bytes of a literal's body; returns what is wrong with it. */
function unescapeInto(pieces: Uint8Array[], body: string): string | undefined {
  let at = 0
  for (const match of body.matchAll(escapePattern)) {
    const bytes = bytesOf(match)
    if (bytes === undefined) return `invalid escape '${match[0]}' in the string`
    pieces.push(Buffer.from(body.slice(at, match.index)), bytes)
    at = match.index + match[0].length
  }
  pieces.push(Buffer.from(body.slice(at)))
  return undefined
}

function bytesOf([, octal, hex, unicode, letter = '']: RegExpMatchArray): Uint8Array | undefined {
  if (octal !== undefined) return Uint8Array.of(Number.parseInt(octal, 8))
  if (hex !== undefined) return Uint8Array.of(Number.parseInt(hex, 16))
  const text = unicode === undefined ? simpleEscapes[letter] : fromUnicode(unicode)
  return text === undefined ? undefined : Buffer.from(text)
}

function fromUnicode(escapes: string): string | undefined {
  const codes = escapes.split('\\').map((code) => Number.parseInt(code.slice(1), 16))
  if (codes.some((code) => code > 0x10ffff)) return undefined
  const text = String.fromCodePoint(...codes)
  return /\p{Surrogate}/u.test(text) ? undefined : text
}

import type { ConfigProblem } from './config-error.ts'

/** The text in the bytes, without a byte order mark, or where they stop being UTF-8. */
export function decodeUtf8(bytes: Uint8Array): { readonly value: string } | { readonly problem: ConfigProblem } {
  try {
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: { message: 'the text is not valid UTF-8', ...firstInvalid(bytes) } }
  }
}

/** A newline is never part of a longer UTF-8 sequence, so the lines can be looked at one by one. */
function firstInvalid(bytes: Uint8Array): { line: number; column: number } | undefined {
  let start = 0
  for (let line = 1; start <= bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline
    const column = invalidColumn(bytes.subarray(start, end))
    if (column !== undefined) return { line, column }
    start = end + 1
  }
  return undefined
}

function invalidColumn(bytes: Uint8Array): number | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const written = new TextEncoder().encode(text)
  const at = written.findIndex((byte, index) => byte !== bytes[index])
  if (at === -1) return undefined
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, at)).length + 1
}

import type { ConfigProblem } from './config-error.ts'

/** The text without a byte order mark, or where it stops being UTF-8. */
export function decodeUtf8(
  text: string | Uint8Array,
): { readonly value: string } | { readonly problem: ConfigProblem } {
  const message = 'the text is not valid UTF-8'
  if (typeof text === 'string') {
    const offset = text.search(/\p{Surrogate}/u)
    if (offset !== -1) return { problem: { message, ...endOf(text.slice(0, offset)) } }
    return { value: text.replace(/^\uFEFF/, '') }
  }
  try {
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(text) }
  } catch {
    return { problem: { message, ...endOf(validPart(text)) } }
  }
}

/** Decoding replaces what is not UTF-8, so the text encodes to the same bytes up to there. */
function validPart(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const written = new TextEncoder().encode(decoder.decode(bytes))
  const offset = written.findIndex((byte, index) => byte !== bytes[index])
  return decoder.decode(bytes.subarray(0, offset))
}

function endOf(text: string): { line: number; column: number } {
  const lines = text.split('\n')
  return { line: lines.length, column: lines[lines.length - 1]!.length + 1 }
}

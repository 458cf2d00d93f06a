/** The number of `:status 200` in the static table, as an indexed field. */
const status200 = 0x88

/** A literal that is not to be indexed, with its name as a text. */
const literal = 0x00

/**
 * A header block of names in lower case and values in turn. It uses no dynamic table and so is the same on every
 * connection. Source: RFC 7541, section 6.
 */
export function encodeHeaders(headers: readonly string[]): Buffer {
  const parts: Uint8Array[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2)
    if (name === ':status' && value === '200') parts.push(Buffer.from([status200]))
    else parts.push(Buffer.from([literal]), encodeText(name), encodeText(value))
  }
  return Buffer.concat(parts)
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([encodeLength(bytes.byteLength), bytes])
}

function encodeLength(length: number): Buffer {
  const mask = 0x7f
  if (length < mask) return Buffer.from([length])
  const bytes = [mask]
  let rest = length - mask
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

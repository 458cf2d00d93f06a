const hexDigits = Buffer.from('0123456789ABCDEF')

/** The letter behind the backslash for bytes that have one, 0x75 (`\u00XX`) for other control characters. */
const escapes = new Uint8Array(256)
for (let byte = 0; byte < 0x20; byte++) escapes[byte] = 0x75
for (const [byte, letter] of [...'\b\f\n\r\t"\\'].map((character, i) => [character, 'bfnrt"\\'[i]] as const)) {
  escapes[byte.charCodeAt(0)] = (letter as string).charCodeAt(0)
}

/**
 * The elements of a packed BYTES tensor as JSON strings with commas between them. Bytes that are no valid UTF-8 pass as
 * they are, as with Triton.
 * @returns `count` is undefined when the bytes are cut short.
 */
export function writeByteStrings(packed: Uint8Array): { readonly count: number | undefined; readonly bytes: Buffer } {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const target = Buffer.allocUnsafeSlow(room(packed))
  let count = 0
  let at = 0
  let to = 0
  while (at < packed.byteLength) {
    if (at + 4 > packed.byteLength) return { count: undefined, bytes: target.subarray(0, 0) }
    const end = at + 4 + view.getUint32(at, true)
    if (end > packed.byteLength) return { count: undefined, bytes: target.subarray(0, 0) }
    if (count++ > 0) target[to++] = 0x2c
    target[to++] = 0x22
    for (let i = at + 4; i < end; i++) {
      const byte = packed[i] as number
      const letter = escapes[byte] as number
      if (letter === 0) target[to++] = byte
      else {
        target[to++] = 0x5c
        target[to++] = letter
        if (letter === 0x75) {
          target[to++] = 0x30
          target[to++] = 0x30
          target[to++] = hexDigits[byte >> 4] as number
          target[to++] = hexDigits[byte & 15] as number
        }
      }
    }
    target[to++] = 0x22
    at = end
  }
  return { count, bytes: target.subarray(0, to) }
}

/** Bytes that are enough: a length of four pays for two quotes and a comma, escapes are counted. */
function room(packed: Uint8Array): number {
  let size = packed.byteLength
  for (let i = 0; i < packed.byteLength; i++) {
    const letter = escapes[packed[i] as number] as number
    if (letter !== 0) size += letter === 0x75 ? 5 : 1
  }
  return size
}

import { isUtf8 } from 'node:buffer'

/**
 * ONNX Runtime for Node takes and gives JavaScript strings, so bytes that are not UTF-8 would be lost. Such a byte
 * travels as the private code point 10FE00 + byte, and becomes the byte again on the way out. That keeps the content
 * through every operator that copies strings.
 */
const escapeBase = 0x10fe00
const escapePattern = /([\u{10fe80}-\u{10feff}])/u

export interface DecodedStrings {
  readonly strings: string[]
  /** Whether some element was not UTF-8. */
  readonly escaped: boolean
}

/** The elements of packed BYTES data. As in Triton an element ends at its first NUL. */
export function decodeStrings(packed: Buffer): DecodedStrings {
  const strings: string[] = []
  let escaped = false
  for (let offset = 0; offset + 4 <= packed.length; ) {
    const start = offset + 4
    offset = start + packed.readUInt32LE(offset)
    const nul = packed.indexOf(0, start)
    const end = nul === -1 || nul > offset ? offset : nul
    let text = packed.toString('utf8', start, end)
    if (text.includes('\ufffd') && !isUtf8(packed.subarray(start, end))) {
      text = escapeBytes(packed.subarray(start, end))
      escaped = true
    }
    strings.push(text)
  }
  return { strings, escaped }
}

/** Elements in their packed form. @param escaped whether the inputs had escaped bytes. */
export function encodeStrings(strings: readonly string[], escaped: boolean): Uint8Array {
  const elements = strings.map((text) => (escaped && escapePattern.test(text) ? unescapeBytes(text) : text))
  let size = 0
  for (const element of elements) size += 4 + Buffer.byteLength(element)
  const packed = Buffer.from(new ArrayBuffer(size))
  let offset = 0
  for (const element of elements) {
    const start = offset + 4
    offset = start + (typeof element === 'string' ? packed.write(element, start) : element.copy(packed, start))
    packed.writeUInt32LE(offset - start, start - 4)
  }
  return packed
}

/** Text with every byte that is not part of valid UTF-8 as an escape. */
function escapeBytes(bytes: Buffer): string {
  let text = ''
  for (let start = 0; start < bytes.length; ) {
    const length = [1, 2, 3, 4].find(
      (size) => start + size <= bytes.length && isUtf8(bytes.subarray(start, start + size)),
    )
    text +=
      length === undefined
        ? String.fromCodePoint(escapeBase + (bytes[start] as number))
        : bytes.toString('utf8', start, start + length)
    start += length ?? 1
  }
  return text
}

function unescapeBytes(text: string): Buffer {
  return Buffer.concat(
    text
      .split(escapePattern)
      .map((part, index) =>
        index % 2 === 0 ? Buffer.from(part) : Buffer.of((part.codePointAt(0) as number) - escapeBase),
      ),
  )
}

/** Values in the distinguished encoding rules (ITU-T X.690), as far as certificates need them. */

const value = (tag: number, content: Uint8Array): Buffer => Buffer.concat([Buffer.from([tag]), size(content), content])

/** A size below 128 is one byte; a larger one has its bytes behind their number. */
function size({ byteLength }: Uint8Array): Buffer {
  if (byteLength < 0x80) return Buffer.from([byteLength])
  return byteLength < 0x100 ? Buffer.from([0x81, byteLength]) : Buffer.from([0x82, byteLength >> 8, byteLength & 0xff])
}

export const sequence = (...parts: Uint8Array[]): Buffer => value(0x30, Buffer.concat(parts))

export const set = (...parts: Uint8Array[]): Buffer => value(0x31, Buffer.concat(parts))

/** @param bytes big-endian; a zero in front keeps the number positive. */
export const integer = (bytes: Uint8Array): Buffer => value(0x02, bytes)

export const boolean = (held: boolean): Buffer => value(0x01, Buffer.from([held ? 0xff : 0]))

export const text = (held: string): Buffer => value(0x0c, Buffer.from(held))

export const octets = (bytes: Uint8Array): Buffer => value(0x04, bytes)

/** @param unused bits at the end of the last byte that do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer =>
  value(0x03, Buffer.concat([Buffer.from([unused]), bytes]))

/** A time before 2050, to the second. */
export const time = (date: Date): Buffer =>
  value(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))

/** A tag whose meaning its place gives, around other values or instead of a universal one. */
export const tagged = (tag: number, content: Uint8Array, constructed = true): Buffer =>
  value((constructed ? 0xa0 : 0x80) | tag, content)

/** An object identifier, in the form `1.2.840.10045`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seven bits a byte; all but the last have the highest bit set. */
function base128(number: number): number[] {
  const bytes = [number & 0x7f]
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

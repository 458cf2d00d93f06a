/**
 * Text for the `grpc-message` header: percent signs and bytes of UTF-8 that are not printable ASCII are escaped.
 * Source: grpc/doc/PROTOCOL-HTTP2.md.
 */
export function encodeGrpcMessage(text: string): string {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text
  let encoded = ''
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

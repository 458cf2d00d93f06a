import { errorCodes, type Http2ErrorCode } from './http2-error.ts'

/** Source: RFC 9113, section 6. */
export const frameTypes = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const

export const frameFlags = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 0x20 } as const

export const frameHeadSize = 9

/** Writes the head of a frame; returns where its payload begins. */
export function writeFrameHead(
  to: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  to[at] = length >>> 16
  to[at + 1] = length >>> 8
  to[at + 2] = length
  to[at + 3] = type
  to[at + 4] = flags
  return to.writeUInt32BE(stream, at + 5)
}

/** A frame of its own. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeadSize + payload.byteLength)
  bytes.set(payload, writeFrameHead(bytes, 0, payload.byteLength, type, flags, stream))
  return bytes
}

/** A frame whose payload is one number of four bytes. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeadSize + 4)
  bytes.writeUInt32BE(value, writeFrameHead(bytes, 0, 4, type, 0, stream))
  return bytes
}

/**
 * A GOAWAY: the last stream that is served, and why the connection ends. Source: RFC 9113, section 6.8.
 * @param message for whoever looks for the reason.
 */
export function goAwayFrame(code: Http2ErrorCode, lastStream: number, message: string): Buffer {
  const payload = Buffer.alloc(8 + Buffer.byteLength(message))
  payload.writeUInt32BE(lastStream, 0)
  payload.writeUInt32BE(errorCodes[code], 4)
  payload.write(message, 8)
  return frame(frameTypes.GOAWAY, 0, 0, payload)
}

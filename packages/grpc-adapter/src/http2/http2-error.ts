/** Source: RFC 9113, section 7. */
export const errorCodes = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const

export type Http2ErrorCode = keyof typeof errorCodes

/** Something that a client must not do; it ends the connection. */
export class Http2Error extends Error {
  readonly code: Http2ErrorCode

  constructor(code: Http2ErrorCode, message: string) {
    super(message)
    this.name = 'Http2Error'
    this.code = code
  }
}

import { Http2Error } from './http2-error.ts'
import { maxWindow } from './window.ts'

/** Source: RFC 9113, section 6.5.2. */
export const settingIds = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const

/** What matters here of what a client may set. */
export interface PeerSettings {
  readonly initialWindowSize?: number
  readonly maxFrameSize?: number
}

/** @throws Http2Error for a payload or a value that cannot be. */
export function readSettings(payload: Buffer): PeerSettings {
  if (payload.byteLength % 6 !== 0) throw new Http2Error('FRAME_SIZE_ERROR', 'settings of a wrong size')
  let settings: PeerSettings = {}
  for (let at = 0; at < payload.byteLength; at += 6) {
    const id = payload.readUInt16BE(at)
    const value = payload.readUInt32BE(at + 2)
    if (id === settingIds.INITIAL_WINDOW_SIZE) {
      if (value > maxWindow) throw new Http2Error('FLOW_CONTROL_ERROR', 'an initial window beyond its limit')
      settings = { ...settings, initialWindowSize: value }
    } else if (id === settingIds.MAX_FRAME_SIZE) {
      if (value < 2 ** 14 || value > 2 ** 24 - 1)
        throw new Http2Error('PROTOCOL_ERROR', 'a frame size beyond its limits')
      settings = { ...settings, maxFrameSize: value }
    } else if (id === settingIds.ENABLE_PUSH && value > 1) {
      throw new Http2Error('PROTOCOL_ERROR', 'a setting that is neither 0 nor 1')
    }
  }
  return settings
}

/** The payload of a SETTINGS frame. */
export function writeSettings(settings: Readonly<Partial<Record<keyof typeof settingIds, number>>>): Buffer {
  const entries = Object.entries(settings)
  const payload = Buffer.alloc(6 * entries.length)
  for (const [i, [name, value]] of entries.entries()) {
    payload.writeUInt16BE(settingIds[name as keyof typeof settingIds], 6 * i)
    payload.writeUInt32BE(value, 6 * i + 2)
  }
  return payload
}

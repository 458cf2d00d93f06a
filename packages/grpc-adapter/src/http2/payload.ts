import { Http2Error } from './http2-error.ts'

/** @throws Http2Error FRAME_SIZE_ERROR for a payload of another size in bytes. */
export function expectSize(payload: Buffer, size: number): void {
  if (payload.byteLength !== size) throw new Http2Error('FRAME_SIZE_ERROR', `a payload of ${payload.byteLength} bytes`)
}

/**
 * The five bytes of a priority that `bytes` begin with name another stream than its own. Source: RFC 7540, section 5.3.1.
 * @throws Http2Error PROTOCOL_ERROR
 */
export function expectDependency(stream: number, bytes: Buffer): void {
  if ((bytes.readUInt32BE(0) & 0x7fffffff) === stream) {
    throw new Http2Error('PROTOCOL_ERROR', `stream ${stream} depends on itself`)
  }
}

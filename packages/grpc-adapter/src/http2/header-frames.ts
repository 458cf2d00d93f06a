import { frame, frameFlags, frameTypes } from './frame.ts'
import type { Output } from './output.ts'

/** Sends a header block, in several frames where one cannot hold it. Source: RFC 9113, sections 6.2 and 6.10. */
export function sendHeaders(
  output: Output,
  stream: number,
  block: Uint8Array,
  flags: number,
  maxFrameSize: number,
): void {
  if (block.byteLength <= maxFrameSize) {
    output.send(frame(frameTypes.HEADERS, flags | frameFlags.END_HEADERS, stream, block))
    return
  }
  output.send(frame(frameTypes.HEADERS, flags, stream, block.subarray(0, maxFrameSize)))
  for (let at = maxFrameSize; at < block.byteLength; at += maxFrameSize) {
    const isLast = at + maxFrameSize >= block.byteLength
    const piece = block.subarray(at, at + maxFrameSize)
    output.send(frame(frameTypes.CONTINUATION, isLast ? frameFlags.END_HEADERS : 0, stream, piece))
  }
}

import type { Server } from '@triton-ts/core'
import { sampleRate } from './samples.ts'
import { type AudioWindow, contextSize, windowSize } from './windows.ts'

const sr = BigInt64Array.of(BigInt(sampleRate))
const silence = new Float32Array(contextSize + windowSize)

/**
 * How likely it is, window by window, that somebody speaks: 0 to 1. A reader may stop early: the sequence ends with it.
 * @param stream names the sequence; streams that are heard at the same time need different names
 */
export async function* listen(
  server: Server,
  stream: string,
  windows: AsyncIterable<AudioWindow>,
  signal?: AbortSignal,
): AsyncGenerator<number> {
  const sequence = { correlationId: stream, signal }
  let open = false
  try {
    for await (const { samples, first, last } of windows) {
      const flags = { sequenceStart: first, sequenceEnd: last }
      const { output } = await server.infer('silero_vad', { input: samples, sr }, { ...sequence, ...flags })
      open = !last
      yield output!.data[0] as number
    }
  } finally {
    // A sequence that is cancelled has ended already, and one of a Server that stops ends with it.
    const end = { correlationId: stream, sequenceEnd: true }
    if (open) await server.infer('silero_vad', { input: silence, sr }, end).catch(() => {})
  }
}

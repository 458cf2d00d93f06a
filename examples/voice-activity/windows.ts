/** Samples that are new in a window: 32 ms. */
export const windowSize = 512

/** Samples of the window before that the model wants to hear again. */
export const contextSize = 64

/** A piece of a stream: `contextSize` samples that were there before, then `windowSize` new ones. */
export interface AudioWindow {
  readonly samples: Float32Array
  readonly first: boolean
  readonly last: boolean
}

/** Cuts a stream of any chunks into windows. Before its begin and after its end is silence. */
export async function* windows(audio: AsyncIterable<Float32Array>): AsyncGenerator<AudioWindow> {
  let samples = new Float32Array(contextSize + windowSize)
  let filled = contextSize
  let first = true
  for await (const chunk of audio) {
    for (let offset = 0; offset < chunk.length; ) {
      // A full window goes only when more comes: the last one has to be known as such.
      if (filled === samples.length) {
        yield { samples, first, last: false }
        first = false
        const next = new Float32Array(samples.length)
        next.set(samples.subarray(windowSize))
        samples = next
        filled = contextSize
      }
      const part = chunk.subarray(offset, offset + samples.length - filled)
      samples.set(part, filled)
      filled += part.length
      offset += part.length
    }
  }
  yield { samples, first, last: true }
}

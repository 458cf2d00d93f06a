import { TritonError } from '@triton-ts/core'

/** Samples per second that the model listens to. */
export const sampleRate = 16_000

/** Bytes of the header of a plain WAV file. */
const headerSize = 44

/**
 * The samples of a 16-bit WAV file, from -1 to 1, in chunks as they arrive.
 * @throws TritonError INVALID_ARG when it is not 16 kHz, mono and 16 bits a sample.
 */
export async function* samples(file: AsyncIterable<Uint8Array>): AsyncGenerator<Float32Array> {
  let rest = Buffer.alloc(0)
  let header: Buffer | undefined
  for await (const chunk of file) {
    rest = Buffer.concat([rest, chunk])
    if (header === undefined) {
      if (rest.length < headerSize) continue
      header = rest.subarray(0, headerSize)
      checkHeader(header)
      rest = rest.subarray(headerSize)
    }
    const whole = rest.length - (rest.length % 2)
    yield Float32Array.from({ length: whole / 2 }, (_, i) => rest.readInt16LE(2 * i) / 32_768)
    rest = rest.subarray(whole)
  }
  if (header === undefined) throw new TritonError('INVALID_ARG', 'the recording ends within its header')
}

function checkHeader(header: Buffer): void {
  const [channels, rate, bits] = [header.readUInt16LE(22), header.readUInt32LE(24), header.readUInt16LE(34)]
  if (header.toString('latin1', 0, 4) === 'RIFF' && channels === 1 && rate === sampleRate && bits === 16) return
  throw new TritonError('INVALID_ARG', `a WAV file of one channel, ${sampleRate} Hz and 16 bits is needed`)
}

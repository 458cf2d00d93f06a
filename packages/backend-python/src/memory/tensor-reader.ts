import { isDataType, Tensor } from '@triton-ts/core'
import type { TensorMessage } from '../wire/messages.ts'
import type { ReadRegion } from './read-region.ts'

/**
 * The tensors of a frame, by name. They own their bytes.
 * @returns a promise when a long copy is needed.
 * @throws RangeError for what does not lie in the frame or in the shared memory.
 */
export function readTensors(
  messages: readonly TensorMessage[],
  blobs: Buffer,
  region: ReadRegion | undefined,
): Record<string, Tensor> | Promise<Record<string, Tensor>> {
  const tensors: Record<string, Tensor> = {}
  let reading: Promise<void>[] | undefined
  for (const message of messages) {
    const [name, datatype, shape] = message
    if (!isDataType(datatype)) throw new RangeError(`tensor '${name}' has the data type '${datatype}'`)
    const bytes = bytesOf(message, blobs, region)
    if (bytes instanceof Uint8Array) tensors[name] = Tensor.fromBytes(datatype, shape, bytes)
    else {
      reading ??= []
      reading.push(
        bytes.then((read) => {
          tensors[name] = Tensor.fromBytes(datatype, shape, read)
        }),
      )
    }
  }
  return reading === undefined ? tensors : Promise.all(reading).then(() => tensors)
}

function bytesOf(
  [name, , , place, offset, size]: TensorMessage,
  blobs: Buffer,
  region: ReadRegion | undefined,
): Uint8Array | Promise<Uint8Array> {
  if (place === 1 && region !== undefined) return region.read(offset, size)
  if (place !== 0 || offset + size > blobs.length) throw new RangeError(`tensor '${name}' is in no place`)
  return blobs.subarray(offset, offset + size)
}

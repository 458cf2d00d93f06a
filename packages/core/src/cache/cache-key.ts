import { dataTypes } from '../request/data-type.ts'
import type { Tensor } from '../request/tensor.ts'
import { BufferedHash } from './buffered-hash.ts'

/** What a request is, as far as the model's answer depends on it. */
export type CacheKeyOf = (inputs: ReadonlyMap<string, Tensor>) => string

/**
 * Makes the keys of one model's requests: SHA-256 over `identity`, then for each input, by name, its name, type, shape
 * and bytes. Triton's key has neither type nor shape, and 64 bits of a hash that is not made to resist collisions; but
 * whoever hits a wrong key gets a wrong answer. Every part is preceded by its length, so that no two requests read alike.
 */
export function cacheKeys(identity: readonly string[], inputNames: readonly string[]): CacheKeyOf {
  const model = Buffer.concat(identity.map(withLength))
  const sorted = inputNames.toSorted().map((name) => ({ name, label: withLength(name) }))
  const hash = new BufferedHash()
  return (inputs) => {
    hash.start()
    hash.bytes(model)
    for (const { name, label } of sorted) {
      const tensor = inputs.get(name)
      if (tensor === undefined) continue
      const { datatype, shape } = tensor
      const bytes = tensor.currentBytes()
      hash.bytes(label)
      hash.number(dataTypes.indexOf(datatype))
      hash.number(shape.length)
      for (const dim of shape) hash.number(dim)
      hash.number(bytes.byteLength)
      hash.bytes(bytes)
    }
    return hash.digest()
  }
}

function withLength(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.byteLength)
  return Buffer.concat([length, bytes])
}

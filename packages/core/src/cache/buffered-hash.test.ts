import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BufferedHash } from './buffered-hash.ts'

const bytes = fc
  .tuple(fc.oneof(fc.nat(20), fc.integer({ min: 4080, max: 4110 }), fc.nat(20_000)), fc.nat(255))
  .map(([size, value]) => new Uint8Array(size).fill(value))

test('it is SHA-256, however the content is cut, time after time', () => {
  const hash = new BufferedHash()
  fc.assert(
    fc.property(fc.array(fc.oneof(bytes, fc.double())), (pieces) => {
      const plain = createHash('sha256')
      hash.start()
      for (const piece of pieces) {
        if (typeof piece === 'number') {
          plain.update(new Uint8Array(new Float64Array([piece]).buffer))
          hash.number(piece)
        } else {
          plain.update(piece)
          hash.bytes(piece)
        }
      }
      expect(hash.digest()).toBe(plain.digest('base64url'))
    }),
  )
})

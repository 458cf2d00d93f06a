import { type DataType, dataTypeSizes, dataTypes, Tensor, tensor } from '@triton-ts/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packTensors, TensorPacker, unpackTensors } from './packed-tensors.ts'

const anyTensor = fc
  .record({
    datatype: fc.constantFrom(...dataTypes.filter((type) => type !== 'BYTES')),
    count: fc.nat(9),
    odd: fc.nat(7),
  })
  .map(({ datatype, count, odd }): Tensor => {
    const size = count * dataTypeSizes[datatype]
    // A view that begins somewhere in other memory, as a caller's may.
    const bytes = new Uint8Array(size + odd).subarray(odd).map((_, i) => i + odd)
    return Tensor.fromBytes(datatype as DataType, [count], bytes)
  })
const anyTexts = fc.array(fc.string()).map((texts): Tensor => tensor('BYTES', [texts.length], texts))

test('what is packed comes out the same, in memory of its own', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.oneof(anyTensor, anyTexts))), (requests) => {
      const packer = new TensorPacker()
      const parts = requests.map((tensors) => packer.add(tensors.map((one, i) => [String(i), one] as const)))
      const data = packer.pack()
      for (const [i, tensors] of requests.entries()) {
        const back = unpackTensors(data, parts[i]!)
        expect(back.map(([name]) => name)).toEqual(tensors.map((_, place) => String(place)))
        for (const [place, [, one]] of back.entries()) {
          const { datatype, shape, bytes, data: values } = tensors[place]!
          expect({ datatype: one.datatype, shape: one.shape, bytes: Buffer.from(one.bytes) }).toEqual({
            datatype,
            shape,
            bytes: Buffer.from(bytes),
          })
          expect(one.data.length).toBe(values.length)
          expect(one.bytes.buffer).toBe(data)
        }
      }
    }),
  )
})

test('texts are packed as they are now', () => {
  const texts = ['a']
  const one = tensor('BYTES', [1], texts)
  packTensors([['x', one]])
  texts[0] = 'b'
  const { data, parts } = packTensors([['x', one]])
  expect(unpackTensors(data, parts)[0]![1].strings()).toEqual(['b'])
})

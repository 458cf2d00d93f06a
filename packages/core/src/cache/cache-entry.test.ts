import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createArray, type DataType, dataTypeSizes, dataTypes, type NumericDataType } from '../request/data-type.ts'
import { elementCount } from '../request/shape.ts'
import { Tensor, tensor } from '../request/tensor.ts'
import type { Outputs } from '../response/inference-response.ts'
import { decodeEntry, encodeEntry } from './cache-entry.ts'

const shapes = fc.array(fc.nat(4), { maxLength: 4 })
const tensors = fc.tuple(fc.constantFrom(...dataTypes), shapes).chain(([datatype, shape]): fc.Arbitrary<Tensor> => {
  const length = elementCount(shape)
  if (datatype === 'BYTES') {
    return fc
      .array(fc.oneof(fc.string(), fc.uint8Array()), { minLength: length, maxLength: length })
      .map((elements) => Tensor.of('BYTES', shape, elements))
  }
  const size = length * dataTypeSizes[datatype]
  return fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((bytes) => Tensor.fromBytes<DataType>(datatype, shape, bytes))
})
const names = fc.oneof({ weight: 9, arbitrary: fc.string({ unit: 'binary' }) }, fc.constant('__proto__'))
const responses = fc
  .uniqueArray(fc.tuple(names, tensors), { maxLength: 5, selector: ([name]) => name })
  .map((outputs): Outputs => Object.fromEntries(outputs))

const comparable = (outputs: Outputs) =>
  Object.entries(outputs).map(([name, { datatype, shape, bytes }]) => [name, datatype, [...shape], Buffer.from(bytes)])

test('what is read is what was written', () => {
  fc.assert(
    fc.property(responses, (outputs) => {
      expect(comparable(decodeEntry(encodeEntry(outputs)))).toEqual(comparable(outputs))
    }),
  )
})

test('an entry holds copies, aligned for every type', () => {
  const numbers = new Float64Array([1, 2])
  const entry = encodeEntry({ text: tensor('BYTES', [1], ['x']), numbers: tensor('FP64', [2], numbers) })
  numbers.fill(9)
  const { numbers: read } = decodeEntry(entry)
  expect(read?.data).toEqual(new Float64Array([1, 2]))
  expect(read?.data).toHaveProperty('buffer', entry.buffer)
})

describe('corrupt entries', () => {
  test('bytes cut short anywhere are refused', () => {
    const entry = encodeEntry({ a: tensor('BYTES', [2], ['one', 'two']), b: tensor('INT16', [3], new Int16Array(3)) })
    for (let length = 0; length < entry.byteLength; length++) {
      expect(() => decodeEntry(entry.subarray(0, length))).toThrow('the entry is corrupt')
    }
    expect(() => decodeEntry(Buffer.concat([entry, Buffer.alloc(1)]))).toThrow('the entry is corrupt: it is too long')
  })

  test('changed bytes are refused or read as something else, but never crash', () => {
    fc.assert(
      fc.property(responses, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1 }), (outputs, changes) => {
        const entry = encodeEntry(outputs)
        for (const [at, value] of changes) entry[at % entry.byteLength] = value
        let read: Outputs = {}
        try {
          read = decodeEntry(entry)
        } catch (error) {
          expect(error).toMatchObject({ name: 'TritonError', code: 'INTERNAL' })
        }
        for (const name of Object.keys(read)) expect(read[name]?.data).toHaveLength(read[name]?.elementCount as number)
      }),
    )
  })

  test('another format is refused', () => {
    const entry = encodeEntry({})
    entry[0] = 2
    expect(() => decodeEntry(entry)).toThrow('the entry is corrupt: its format is 2, not 1')
  })

  test.each(dataTypes.filter((type) => type !== 'BYTES'))('a %s tensor whose data does not fit its shape', (type) => {
    const array = createArray(type as NumericDataType, 3)
    const bytes = new Uint8Array(array.buffer)
    expect(() => encodeEntry({ a: Tensor.fromBytes(type, [2], bytes) })).toThrow(`do not make a ${type} tensor`)
  })
})

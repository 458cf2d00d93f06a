import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { TritonError } from '../errors.ts'
import { packBytes, unpackBytes } from './bytes.ts'
import { createArray, dataTypeSizes, dataTypes, type NumericDataType } from './data-type.ts'
import { Tensor, tensor } from './tensor.ts'

const numericTypes = dataTypes.filter((type): type is NumericDataType => dataTypeSizes[type] > 0)

describe('numeric tensors', () => {
  test.each(numericTypes)('%s shares memory between elements and bytes', (datatype) => {
    const data = createArray(datatype, 3)
    const made = Tensor.of(datatype, [3], data)
    expect(made.data).toBe(data)
    expect(made.bytes.buffer).toBe(data.buffer)
    expect(made.byteSize).toBe(3 * dataTypeSizes[datatype])
    const seen = Tensor.fromBytes(datatype, [3], made.bytes)
    expect(seen.data.buffer).toBe(data.buffer)
    expect(seen.data.constructor).toBe(data.constructor)
  })

  test('bytes at an odd offset are read right, and the source is left alone', () => {
    const source = new Uint8Array(9)
    source.set(new Uint8Array(new Float32Array([1.5, -2]).buffer), 1)
    const odd = Tensor.fromBytes('FP32', [2], source.subarray(1))
    expect([...odd.data]).toEqual([1.5, -2])
    odd.data[0] = 7
    expect(new DataView(source.buffer).getFloat32(1, true)).toBe(1.5)
  })

  test('a Buffer at an odd offset is read right', () => {
    const source = Buffer.alloc(9)
    source.writeFloatLE(2.5, 1)
    expect([...Tensor.fromBytes('FP32', [2], source.subarray(1)).data]).toEqual([2.5, 0])
  })

  test('a view keeps to its part of a larger buffer', () => {
    const whole = new Int16Array([1, 2, 3, 4])
    const part = tensor('INT16', [2], whole.subarray(1, 3))
    expect([...part.bytes]).toEqual([2, 0, 3, 0])
  })

  test('the number of elements must be that of the shape', () => {
    expect(() => tensor('FP32', [2, 2], new Float32Array(3))).toThrow(
      'tensor of shape [2,2] needs 4 elements but got 3',
    )
    expect(() => tensor('FP32', [2, 2], new Float32Array(3))).toThrow(TritonError)
  })

  test('scalars and empty tensors', () => {
    expect(tensor('INT64', [], new BigInt64Array(1)).elementCount).toBe(1)
    expect(tensor('FP64', [0, 4], new Float64Array(0)).byteSize).toBe(0)
  })
})

describe('BYTES tensors', () => {
  test('strings and bytes are packed with their lengths', () => {
    const made = tensor('BYTES', [2], ['ä', new Uint8Array([1, 2, 3])])
    expect([...made.bytes]).toEqual([2, 0, 0, 0, 0xc3, 0xa4, 3, 0, 0, 0, 1, 2, 3])
    expect(made.byteSize).toBe(13)
    expect(made.strings()[0]).toBe('ä')
  })

  test('what is packed comes back', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (elements) => {
        const back = unpackBytes(packBytes(elements))
        expect(back.map((part) => [...part])).toEqual(elements.map((part) => [...part]))
      }),
    )
  })

  test('text comes back as text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const packed = Tensor.fromBytes('BYTES', [texts.length], packBytes(texts))
        expect(packed.strings()).toEqual(texts)
      }),
    )
  })

  test('cut data is an error that says where', () => {
    expect(() => unpackBytes(new Uint8Array([1, 0, 0, 0, 65, 5, 0]))).toThrow(
      'BYTES data is cut short in element 1, at byte 5',
    )
    expect(() => unpackBytes(new Uint8Array([255, 255, 255, 255, 0]))).toThrow('element 0, at byte 0')
  })

  test('a numeric tensor has no strings', () => {
    expect(() => tensor('UINT8', [1], new Uint8Array(1)).strings()).toThrow('a UINT8 tensor has no strings')
  })
})

test('a tensor of another copy of this package is one', async () => {
  vi.resetModules()
  const other = await import('./tensor.ts')
  expect(other.Tensor).not.toBe(Tensor)
  expect(other.tensor('FP32', [1], new Float32Array(1))).toBeInstanceOf(Tensor)
  expect([{}, null, 1, new Float32Array(1)].some((value) => (value as unknown) instanceof Tensor)).toBe(false)
})

import { createArray, type NumericDataType, packBytes } from '@triton-ts/core'
import { StringCache } from '@triton-ts/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { typedContents } from '../fixtures/infer-arbitrary.ts'
import { encodeMessage } from '../fixtures/schema.ts'
import { ProtoReader } from '../wire/proto-reader.ts'
import { readTypedContents } from './typed-contents.ts'

const names = new StringCache()

/** Reads contents that lie in these pieces. */
function read(pieces: readonly Uint8Array[], datatype: string): Uint8Array {
  const bytes = Buffer.concat(pieces)
  const ranges: number[] = []
  let at = 0
  for (const { byteLength } of pieces) {
    ranges.push(at, at + byteLength)
    at += byteLength
  }
  return readTypedContents(new ProtoReader(bytes, names), ranges, { name: 'IN', datatype, modelName: 'm' })
}

const contents = (message: object): Uint8Array => encodeMessage('inference.InferTensorContents', message)

/** The elements as raw contents have them. */
function raw(datatype: string, values: readonly unknown[]): Uint8Array {
  if (datatype === 'BYTES') return packBytes(values as Uint8Array[])
  const array = createArray(datatype as NumericDataType, values.length)
  const isLong = array instanceof BigInt64Array || array instanceof BigUint64Array
  values.forEach((value, i) => {
    array[i] = isLong ? BigInt(value as string) : Number(value)
  })
  return new Uint8Array(array.buffer)
}

describe('typed contents', () => {
  test('become what raw contents would be, in one piece or in several', () => {
    fc.assert(
      fc.property(typedContents, fc.nat(20), ([datatype, field, values], at) => {
        const expected = Buffer.from(raw(datatype, values))
        expect(Buffer.from(read([contents({ [field]: values })], datatype))).toEqual(expected)
        const pieces = [values.slice(0, at), values.slice(at)].map((some) => contents({ [field]: some }))
        expect(Buffer.from(read(pieces, datatype))).toEqual(expected)
      }),
    )
  })

  test.each([
    ['BOOL', '0801' + '0800' + '088080808080808001', '010001'],
    ['INT16', '10ac02' + '10ffffffffffffffffff01', '2c01ffff'],
    ['FP32', '350000803f' + '3500000040', '0000803f00000040'],
    ['FP64', '39000000000000f03f', '000000000000f03f'],
  ])('%s elements may come each for itself', (datatype, hex, expected) => {
    expect(Buffer.from(read([Buffer.from(hex, 'hex')], datatype)).toString('hex')).toBe(expected)
  })

  test('floats that lie in one piece are not copied', () => {
    const bytes = contents({ fp32_contents: [1, 2] })
    const floats = readTypedContents(new ProtoReader(bytes, names), [0, bytes.length], {
      name: 'IN',
      datatype: 'FP32',
      modelName: 'm',
    })
    expect(floats.buffer).toBe(bytes.buffer)
  })

  test('none are no bytes', () => {
    expect(read([contents({})], 'FP32').byteLength).toBe(0)
    expect(read([Buffer.from('a00601', 'hex')], '<invalid>').byteLength).toBe(0)
  })

  test.each([
    ['FP16', { fp32_contents: [1] }, "of type 'FP32', expected datatype 'FP16'"],
    ['UINT8', { int_contents: [1] }, "of type 'INT32', expected datatype 'UINT8'"],
    ['INT8', { uint_contents: [1] }, "of type 'UINT32', expected datatype 'INT8'"],
    ['<invalid>', { bytes_contents: [Buffer.from('a')] }, "of type 'BYTES', expected datatype '<invalid>'"],
  ])('for %s of another type are refused', (datatype, message, text) => {
    expect(() => read([contents(message)], datatype)).toThrow(
      `unexpected explicit tensor data for input tensor 'IN' for model 'm' ${text}`,
    )
  })

  test('in two fields are refused', () => {
    expect(() => read([contents({ int_contents: [1], fp32_contents: [1] })], 'INT32')).toThrow(
      "unexpected explicit tensor data for input tensor 'IN' for model 'm', binary data was already supplied.",
    )
  })

  test.each([
    ['an element that is cut short', '1202ff80'],
    ['floats that are cut short', '3203000000'],
    ['a length beyond the end', '1210'],
    ['an element of more than ten bytes', '120bffffffffffffffffffff01'],
  ])('with %s are no message', (_, hex) => {
    expect(() => read([Buffer.from(hex, 'hex')], 'INT32')).toThrow('Unable to parse request')
  })
})

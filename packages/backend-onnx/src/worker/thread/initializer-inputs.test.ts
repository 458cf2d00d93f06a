import { tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openInitializerInputs } from './initializer-inputs.ts'
import { integers, lengthDelimited, protoFields } from './proto-reader.ts'
import { readTensorProto } from './tensor-proto.ts'

const info = (name: string) => ({ name, datatype: 'FP32' as const, shape: [2] })

const model = onnxModel({
  inputs: [info('A'), info('C'), info('D')],
  outputs: [info('B')],
  nodes: [
    { op: 'Add', inputs: ['A', 'C'], outputs: ['x'] },
    { op: 'Add', inputs: ['x', 'W'], outputs: ['y'] },
    { op: 'Add', inputs: ['y', 'D'], outputs: ['B'] },
  ],
  initializers: {
    C: tensor('FP32', [2], Float32Array.of(1, 2)),
    D: tensor('FP32', [2], Float32Array.of(3, 4)),
    W: tensor('FP32', [2], Float32Array.of(5, 6)),
  },
})

describe('opening optional inputs', () => {
  test('takes the wanted ones out of the model and keeps the rest', () => {
    const opened = openInitializerInputs(model, new Set(['C', 'W', 'nope']))
    expect(opened.initializerNames).toEqual(['C', 'D'])
    expect([...opened.defaults.keys()]).toEqual(['C'])
    expect(opened.defaults.get('C')).toMatchObject({ datatype: 'FP32', shape: [2] })
    expect(openInitializerInputs(opened.model, new Set(['C'])).initializerNames).toEqual(['D'])
  })

  test('leaves a model alone that has none', () => {
    const opened = openInitializerInputs(model, new Set())
    expect(Buffer.from(opened.model)).toEqual(Buffer.from(model))
    expect(openInitializerInputs(new Uint8Array(), new Set(['C'])).initializerNames).toEqual([])
  })

  test('bytes that are no message are an error, never a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          openInitializerInputs(bytes, new Set(['C']))
        } catch (error) {
          expect(error).toHaveProperty('code')
        }
      }),
    )
  })
})

describe('tensor values', () => {
  const field = (number: number, value: number) => Uint8Array.of(number * 8, value)
  const proto = (type: number, ...fields: Uint8Array[]) => Buffer.concat([field(1, 2), field(2, type), ...fields])

  test.each<[string, Uint8Array, string, Uint8Array | string[]]>([
    ['raw data', proto(2, lengthDelimited(9, Uint8Array.of(7, 8))), 'UINT8', Uint8Array.of(7, 8)],
    ['packed 32-bit integers', proto(5, lengthDelimited(5, Uint8Array.of(1, 2))), 'INT16', Uint8Array.of(1, 0, 2, 0)],
    ['single integers', proto(3, field(5, 1), field(5, 2)), 'INT8', Uint8Array.of(1, 2)],
    [
      '64-bit integers',
      proto(13, lengthDelimited(11, Uint8Array.of(3))),
      'UINT64',
      Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0),
    ],
    ['floats', proto(1, lengthDelimited(4, Uint8Array.of(0, 0, 128, 63))), 'FP32', Uint8Array.of(0, 0, 128, 63)],
    [
      'strings',
      proto(8, lengthDelimited(6, Buffer.from('é')), lengthDelimited(6, Buffer.from(''))),
      'BYTES',
      ['é', ''],
    ],
  ])('%s', (_, message, datatype, content) => {
    const value = readTensorProto(message)
    expect(value).toMatchObject({ datatype, shape: [2] })
    expect(value.content instanceof Uint8Array ? [...value.content] : value.content).toEqual([...content])
  })

  test('unknown types and external data are refused', () => {
    expect(() => readTensorProto(proto(14))).toThrow('unsupported type')
    expect(() => readTensorProto(proto(1, field(14, 1)))).toThrow('external file')
  })
})

test('protobuf fields', () => {
  const message = Buffer.concat([Uint8Array.of(0x08, 0x96, 0x01), lengthDelimited(20, Uint8Array.of(1, 0x80, 1))])
  const [first, second] = [...protoFields(message)]
  expect(first).toMatchObject({ number: 1, integer: 150n })
  expect(second?.number).toBe(20)
  expect(second && integers(second)).toEqual([1n, 128n])
  for (const broken of [[0x08], [0x0a, 5, 1], [0x0b], [0x08, ...Array(10).fill(0x80), 1]]) {
    expect(() => [...protoFields(Uint8Array.from(broken))]).toThrow('not a valid ONNX file')
  }
})

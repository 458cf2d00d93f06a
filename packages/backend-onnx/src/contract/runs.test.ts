import { type Tensor, tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { contract, withServer } from './executors.ts'

contract((kind) => {
  test('operators: a small network gives what it should', () =>
    withServer(
      kind,
      {
        'net/1/model.onnx': onnxModel({
          inputs: [{ name: 'IMAGE', datatype: 'UINT8', shape: ['n', 1, 4, 4] }],
          outputs: [{ name: 'SCORE', datatype: 'FP32', shape: ['n', 2] }],
          nodes: [
            { op: 'Cast', inputs: ['IMAGE'], outputs: ['image'], attributes: { to: 1 } },
            { op: 'Conv', inputs: ['image', 'kernel'], outputs: ['conv'], attributes: { strides: [2, 2] } },
            { op: 'Relu', inputs: ['conv'], outputs: ['relu'] },
            { op: 'Reshape', inputs: ['relu', 'flat'], outputs: ['row'] },
            { op: 'MatMul', inputs: ['row', 'weights'], outputs: ['sum'] },
            { op: 'LeakyRelu', inputs: ['sum'], outputs: ['SCORE'], attributes: { alpha: 0.5 } },
          ],
          initializers: {
            kernel: tensor('FP32', [1, 1, 2, 2], Float32Array.of(1, 1, 1, 1)),
            flat: tensor('INT64', [2], BigInt64Array.of(-1n, 4n)),
            weights: tensor('FP32', [4, 2], Float32Array.of(1, -1, 1, -1, 1, -1, 1, -1)),
          },
        }),
      },
      async (server) => {
        const { SCORE } = await server.infer('net', {
          IMAGE: tensor('UINT8', [1, 1, 4, 4], new Uint8Array(16).fill(2)),
        })
        expect(SCORE?.data).toEqual(Float32Array.of(32, -16))
      },
    ))

  test('an optional input has its default when it is left out', () =>
    withServer(
      kind,
      {
        'm/1/model.onnx': onnxModel({
          inputs: ['IN', 'BIAS'].map((name) => ({ name, datatype: 'FP32' as const, shape: [2] })),
          outputs: [{ name: 'OUT', datatype: 'FP32', shape: [2] }],
          nodes: [{ op: 'Add', inputs: ['IN', 'BIAS'], outputs: ['OUT'] }],
          initializers: { BIAS: tensor('FP32', [2], Float32Array.of(10, 20)) },
        }),
        'm/config.pbtxt': `
        input [ { name: "IN" data_type: TYPE_FP32 dims: [ 2 ] },
                { name: "BIAS" data_type: TYPE_FP32 dims: [ 2 ] optional: true } ]
        output { name: "OUT" data_type: TYPE_FP32 dims: [ 2 ] }`,
      },
      async (server) => {
        const IN = tensor('FP32', [2], Float32Array.of(1, 2))
        expect((await server.infer('m', { IN })).OUT?.data).toEqual(Float32Array.of(11, 22))
        const BIAS = tensor('FP32', [2], Float32Array.of(5, 5))
        expect((await server.infer('m', { IN, BIAS })).OUT?.data).toEqual(Float32Array.of(6, 7))
      },
    ))

  test('requests run on all instances at once, and the event loop goes on', () => {
    const size = 512
    const model = onnxModel({
      inputs: [{ name: 'X', datatype: 'FP32', shape: [size, size] }],
      outputs: [{ name: 'Y', datatype: 'FP32', shape: [size, size] }],
      nodes: [{ op: 'MatMul', inputs: ['X', 'X'], outputs: ['Y'] }],
    })
    return withServer(kind, { 'm/1/model.onnx': model }, async (server) => {
      expect(server.model('m').config.instanceGroup).toMatchObject([{ kind: 'KIND_CPU', count: 2 }])
      let turns = 0
      let running = true
      const count = (): void => {
        turns++
        if (running) setImmediate(count)
      }
      count()
      const X = tensor('FP32', [size, size], new Float32Array(size * size).fill(1))
      const answers = await Promise.all(Array.from({ length: 4 }, () => server.infer('m', { X })))
      running = false
      expect(answers.map(({ Y }) => ((Y as Tensor).data as Float32Array)[0])).toEqual([size, size, size, size])
      expect(turns).toBeGreaterThan(10)
    })
  })
})

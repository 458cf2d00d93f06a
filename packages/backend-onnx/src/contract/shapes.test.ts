import { tensor } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { contract, withServer } from './executors.ts'
import { identity, io } from './models.ts'

contract((kind) => {
  test('scalars are [1] for callers', () =>
    withServer(kind, { 'm/1/model.onnx': identity('FP32', []) }, async (server) => {
      expect(server.model('m').config).toMatchObject({ maxBatchSize: 0, input: [{ dims: [1] }] })
      const { OUT } = await server.infer('m', { IN: tensor('FP32', [1], Float32Array.of(4)) })
      expect(OUT?.shape).toEqual([1])
      expect(OUT?.data).toEqual(Float32Array.of(4))
    }))

  test('empty tensors', () =>
    withServer(kind, { 'm/1/model.onnx': identity('INT64', ['n', 'k', 3]) }, async (server) => {
      const { OUT } = await server.infer('m', { IN: tensor('INT64', [1, 0, 3], new BigInt64Array(0)) })
      expect(OUT).toMatchObject({ shape: [1, 0, 3], elementCount: 0 })
    }))

  test('reshape', () =>
    withServer(
      kind,
      {
        'm/1/model.onnx': identity('FP32', ['n']),
        'm/config.pbtxt': `max_batch_size: 4 ${io('TYPE_FP32', '1', 'reshape { shape: [ ] }')}`,
      },
      async (server) => {
        const { OUT } = await server.infer('m', { IN: tensor('FP32', [3, 1], Float32Array.of(1, 2, 3)) })
        expect(OUT?.shape).toEqual([3, 1])
      },
    ))

  test('a batch of the model size and one beyond it', () =>
    withServer(
      kind,
      {
        'm/1/model.onnx': identity('FP32', ['n', 2]),
        'm/config.pbtxt': `max_batch_size: 2 ${io('TYPE_FP32', '2')}`,
      },
      async (server) => {
        const { OUT } = await server.infer('m', { IN: tensor('FP32', [2, 2], Float32Array.of(1, 2, 3, 4)) })
        expect(OUT?.data).toEqual(Float32Array.of(1, 2, 3, 4))
        await expect(server.infer('m', { IN: tensor('FP32', [3, 2], new Float32Array(6)) })).rejects.toThrow(
          'inference request batch-size must be <= 2',
        )
      },
    ))
})

import { tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { contract, failedLoad, withServer } from './executors.ts'
import { identity } from './models.ts'
import { protoField } from './proto-field.ts'

/** OUT = IN + W, where W has 4 elements that lie in another file. */
function withExternalWeights(file: string): Uint8Array {
  const model = onnxModel({
    inputs: [{ name: 'IN', datatype: 'FP32', shape: [4] }],
    outputs: [{ name: 'OUT', datatype: 'FP32', shape: [4] }],
    nodes: [{ op: 'Add', inputs: ['IN', 'W'], outputs: ['OUT'] }],
  })
  // Protobuf joins a message that comes twice: this adds an initializer to the graph.
  const location = [protoField(1, 'location'), protoField(2, file)]
  const weights = [Buffer.of(8, 4, 16, 1), protoField(8, 'W'), protoField(13, ...location), Buffer.of(14 * 8, 1)]
  return Buffer.concat([model, protoField(7, protoField(5, ...weights))])
}

const weights = new Uint8Array(Float32Array.of(10, 20, 30, 40).buffer)
const IN = tensor('FP32', [4], Float32Array.of(1, 2, 3, 4))
const model = identity('FP32', [4])
const backend = 'backend: "onnxruntime"'

contract((kind) => {
  test.each<[string, Record<string, string | Uint8Array>]>([
    ['model.onnx', { 'm/1/model.onnx': model }],
    ['a directory of that name', { 'm/1/model.onnx/model.onnx': model }],
    [
      'the file of the configuration',
      { 'm/1/deep/net.onnx': model, 'm/config.pbtxt': `${backend} default_model_filename: "deep/net.onnx"` },
    ],
  ])('a model in %s', (_, files) =>
    withServer(kind, files, async (server) => {
      expect((await server.infer('m', { IN })).OUT?.data).toEqual(IN.data)
    }),
  )

  test('weights in a file beside it', () =>
    withServer(
      kind,
      { 'm/1/model.onnx': withExternalWeights('weights.bin'), 'm/1/weights.bin': weights },
      async (server) => {
        expect((await server.infer('m', { IN })).OUT?.data).toEqual(Float32Array.of(11, 22, 33, 44))
      },
    ))

  test('weights that are not there, or too few', async () => {
    const file = withExternalWeights('weights.bin')
    expect(await failedLoad(kind, { 'm/1/model.onnx': file })).toMatch(/onnx runtime error \d+: .*weights\.bin/)
    const short = weights.subarray(0, 8)
    expect(await failedLoad(kind, { 'm/1/model.onnx': file, 'm/1/weights.bin': short })).toMatch(
      /onnx runtime error \d+: /,
    )
  })

  test('weights outside of the version are refused', async () => {
    const file = withExternalWeights('../../../weights.bin')
    expect(await failedLoad(kind, { 'm/1/model.onnx': file, 'weights.bin': weights })).toMatch(
      /onnx runtime error \d+: .*weights\.bin/,
    )
  })
})

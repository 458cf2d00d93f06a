import { tensor } from '@triton-ts/core'
import { type OnnxModelSpec, onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onlyNative, withServer } from '../contract/executors.ts'

const values = Float32Array.of(1, 2, 3, 4, 5, 6)

/** The model file promises a square, which the output is only for a square. */
const square = (spec: Pick<OnnxModelSpec, 'nodes' | 'initializers'>) => ({
  'm/1/model.onnx': onnxModel({
    inputs: [{ name: 'IN', datatype: 'FP32', shape: ['n', 'n'] }],
    outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['n', 'n'] }],
    ...spec,
  }),
  'm/config.pbtxt': `backend: "onnxruntime"
    input { name: "IN" data_type: TYPE_FP32 dims: [ -1, -1 ] }
    output { name: "OUT" data_type: TYPE_FP32 dims: [ -1, -1 ] }
    instance_group { kind: KIND_CPU count: 1 }`,
})

const cases: readonly (readonly [string, Pick<OnnxModelSpec, 'nodes' | 'initializers'>, number[], number[]])[] = [
  ['an operator', { nodes: [{ op: 'Neg', inputs: ['IN'], outputs: ['OUT'] }] }, [2, 3], [-1, -2, -3, -4, -5, -6]],
  [
    'a shape that is computed',
    {
      nodes: [
        { op: 'Shape', inputs: ['IN'], outputs: ['shape'] },
        { op: 'ConstantOfShape', inputs: ['shape'], outputs: ['OUT'] },
      ],
    },
    [2, 3],
    [0, 0, 0, 0, 0, 0],
  ],
]

onlyNative(() => {
  test.each(cases)('a shape that the model file promises and does not keep: %s', (_, spec, shape, data) =>
    withServer('native', square(spec), async (server) => {
      for (let run = 0; run < 2; run++) {
        const { OUT } = await server.infer('m', { IN: tensor('FP32', [2, 3], values) })
        expect(OUT).toMatchObject({ shape, data: Float32Array.from(data) })
      }
      expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 2, executionCount: 2 })
    }),
  )
})

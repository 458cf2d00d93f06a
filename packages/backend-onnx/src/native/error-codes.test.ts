import { tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onlyNative, withServer } from '../contract/executors.ts'

const input = (name: string) => ({ name, datatype: 'FP32', shape: [`${name}0`, `${name}1`] }) as const

const failing = (op: string) =>
  onnxModel({
    inputs: ['A', 'B'].map(input),
    outputs: [input('OUT')],
    nodes: [{ op, inputs: ['A', 'B'], outputs: ['OUT'] }],
  })

/** The codes that ONNX Runtime 1.19, which Triton 24.10 has, reports for these models. */
const cases: readonly (readonly [string, Uint8Array, string])[] = [
  ['throws', failing('Add'), 'onnx runtime error 6: Non-zero status code returned while running Add'],
  ['returns FAIL', failing('MatMul'), 'onnx runtime error 1: Non-zero status code returned while running MatMul'],
  [
    'returns INVALID_ARGUMENT',
    failing('Gemm'),
    'onnx runtime error 2: Non-zero status code returned while running Gemm',
  ],
]

onlyNative(() => {
  test.each(cases)('of an operator that %s', (_, model, message) => {
    const config = `backend: "onnxruntime"
      input [ { name: "A" data_type: TYPE_FP32 dims: [ -1, -1 ] }, { name: "B" data_type: TYPE_FP32 dims: [ -1, -1 ] } ]
      output { name: "OUT" data_type: TYPE_FP32 dims: [ -1, -1 ] }
      instance_group { kind: KIND_CPU count: 1 }`
    return withServer('native', { 'm/1/model.onnx': model, 'm/config.pbtxt': config }, async (server) => {
      const A = tensor('FP32', [2, 3], new Float32Array(6))
      const B = tensor('FP32', [5, 7], new Float32Array(35))
      await expect(server.infer('m', { A, B })).rejects.toThrow(message)
    })
  })
})

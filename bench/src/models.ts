import { type Tensor, tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'

/** OUTPUT0 = INPUT0 + INPUT0 on 16 floats: all that is left is the call. */
export const tinyModel = (): Uint8Array =>
  onnxModel({
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', 16] }],
    outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', 16] }],
    nodes: [{ op: 'Add', inputs: ['INPUT0', 'INPUT0'], outputs: ['OUTPUT0'] }],
  })

/** A stack of 3x3 convolutions over pictures of any size, or of `side` pixels a side. Four layers at 160 pixels a side, or 24 at 64, take about 10 ms on one core. */
export function convolutionModel(layers = 4, channels = 32, side?: number): Uint8Array {
  const weights = (inputs: number): Tensor =>
    tensor('FP32', [channels, inputs, 3, 3], new Float32Array(channels * inputs * 9).fill(0.01))
  const names = Array.from({ length: layers }, (_, i) => `w${i}`)
  return onnxModel({
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', 3, side ?? 'H', side ?? 'W'] }],
    outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', channels, 1, 1] }],
    initializers: Object.fromEntries(names.map((name, i) => [name, weights(i === 0 ? 3 : channels)])),
    nodes: [
      ...names.map((name, i) => ({
        op: 'Conv',
        inputs: [i === 0 ? 'INPUT0' : `x${i}`, name],
        outputs: [`x${i + 1}`],
        attributes: { pads: [1, 1, 1, 1] },
      })),
      { op: 'GlobalAveragePool', inputs: [`x${layers}`], outputs: ['OUTPUT0'] },
    ],
  })
}

/** Fully connected layers with ReLU: about 1 ms on one core at a width of 1024. */
export function mlpModel(width: number, layers = 4): Uint8Array {
  const names = Array.from({ length: layers }, (_, i) => `w${i}`)
  const weights = tensor('FP32', [width, width], new Float32Array(width * width).fill(1 / width))
  const last = layers - 1
  return onnxModel({
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', width] }],
    outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', width] }],
    initializers: Object.fromEntries(names.map((name) => [name, weights])),
    nodes: names.flatMap((name, i) => [
      { op: 'MatMul', inputs: [i === 0 ? 'INPUT0' : `x${i}`, name], outputs: [`y${i}`] },
      { op: 'Relu', inputs: [`y${i}`], outputs: [i === last ? 'OUTPUT0' : `x${i + 1}`] },
    ]),
  })
}

/** Repository files of a model of one input and one output. */
export function repositoryFiles(
  name: string,
  model: Uint8Array,
  inputDims: string,
  outputDims: string,
  instances: number,
) {
  return {
    [`${name}/config.pbtxt`]: `backend: "onnxruntime" max_batch_size: 8
      input { name: "INPUT0" data_type: TYPE_FP32 dims: ${inputDims} }
      output { name: "OUTPUT0" data_type: TYPE_FP32 dims: ${outputDims} }
      instance_group { kind: KIND_CPU count: ${instances} }
      parameters { key: "intra_op_thread_count" value { string_value: "1" } }`,
    [`${name}/1/model.onnx`]: model,
  }
}

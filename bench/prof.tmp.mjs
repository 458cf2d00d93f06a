import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository, onnxModel } from '@triton-ts/testing'

const model = onnxModel({
  inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', 16] }],
  outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', 16] }],
  nodes: [{ op: 'Add', inputs: ['INPUT0', 'INPUT0'], outputs: ['OUTPUT0'] }],
})
const repo = await modelRepository({
  'm/config.pbtxt': `backend: "onnxruntime" max_batch_size: 8 input { name: "INPUT0" data_type: TYPE_FP32 dims: 16 } output { name: "OUTPUT0" data_type: TYPE_FP32 dims: 16 } instance_group { kind: KIND_CPU count: 1 }`,
  'm/1/model.onnx': model,
})
const server = await Server.start({ modelRepository: repo.path, backends: [onnx({ executor: 'native' })] })
const input = { INPUT0: tensor('FP32', [1, 16], new Float32Array(16)) }
const N = 200000
for (let round = 0; round < 3; round++) {
  let b = 0
  const t = performance.now()
  const caller = async () => {
    while (b < N) {
      b++
      await server.infer('m', input)
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
  console.log((((performance.now() - t) * 1000) / N).toFixed(2))
}
await server.stop()

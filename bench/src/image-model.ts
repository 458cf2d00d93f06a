import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** EfficientNet-Lite0 of the examples: about 10 ms on one core, 5 MB of weights. */
export const imageModel = 'efficientnet_lite0'

const file = fileURLToPath(new URL(`../../examples/model_repository/${imageModel}/1/model.onnx`, import.meta.url))
const warmUp = 'model_warmup { name: "random" batch_size: 1 inputs { key: "image" value {'

/** Repository files of it: one thread for each of its instances, which are warmed up before they serve. */
export const imageModelFiles = async (instances: number) => ({
  [`${imageModel}/config.pbtxt`]: `backend: "onnxruntime" max_batch_size: 8
    input { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
    output { name: "logits" data_type: TYPE_FP32 dims: 1000 }
    instance_group { kind: KIND_CPU count: ${instances} }
    parameters { key: "intra_op_thread_count" value { string_value: "1" } }
    ${warmUp} data_type: TYPE_FP32 dims: [ 3, 224, 224 ] random_data: true } } }`,
  [`${imageModel}/1/model.onnx`]: await readFile(file),
})

/** A request for one picture over HTTP, with binary tensors. */
export function imageRequest() {
  const data = new Uint8Array(new Float32Array(3 * 224 * 224).fill(0.5).buffer)
  const parameters = { binary_data_size: data.byteLength }
  const header = Buffer.from(
    JSON.stringify({
      inputs: [{ name: 'image', shape: [1, 3, 224, 224], datatype: 'FP32', parameters }],
      outputs: [{ name: 'logits', parameters: { binary_data: true } }],
    }),
  )
  return {
    path: `/v2/models/${imageModel}/infer`,
    headers: { 'inference-header-content-length': header.byteLength },
    body: Buffer.concat([header, data]),
  }
}

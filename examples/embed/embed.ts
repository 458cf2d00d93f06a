// Inference inside a script: no server process, no network.
import { onnx } from '@triton-ts/backend-onnx'
import { imageTensor, readPicture } from '@triton-ts/cli'
import { Server } from '@triton-ts/core'

const examples = `${import.meta.dirname}/..`
await using server = await Server.start({ modelRepository: `${examples}/model_repository`, backends: [onnx()] })

const format = { datatype: 'FP32', layout: 'NCHW', channels: 3, height: 224, width: 224 } as const
for (const name of ['coffee.png', 'cat.png']) {
  const image = imageTensor([await readPicture(`${examples}/images/${name}`)], format, 'INCEPTION')
  const { logits } = await server.infer('efficientnet_lite0', { image })
  const scores = logits?.data as Float32Array
  const best = scores.indexOf(Math.max(...scores))
  console.log(`${name}: ${server.model('efficientnet_lite0').classLabel('logits', best)}`)
}

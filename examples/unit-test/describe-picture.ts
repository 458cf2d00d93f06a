import { imageTensor, readPicture } from '@triton-ts/cli'
import type { Server } from '@triton-ts/core'

const format = { datatype: 'FP32', layout: 'NCHW', channels: 3, height: 224, width: 224 } as const

/** The application: says what a picture shows, or that it does not know. */
export async function describePicture(server: Server, file: string): Promise<string> {
  const image = imageTensor([await readPicture(file)], format, 'INCEPTION')
  const { logits } = await server.infer('efficientnet_lite0', { image })
  const probabilities = softmax(logits?.data as Float32Array)
  const best = probabilities.indexOf(Math.max(...probabilities))
  const label = server.model('efficientnet_lite0').classLabel('logits', best)
  return probabilities[best]! > 0.5 ? `This is ${label}.` : 'No idea.'
}

function softmax(logits: Float32Array): Float32Array {
  const highest = Math.max(...logits)
  const powers = logits.map((logit) => Math.exp(logit - highest))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository, onnxModel } from '@triton-ts/testing'
import { row } from './measure.ts'

/**
 * Resident memory: a model of 200 MB of weights with one and with two instances, and after loading and unloading a
 * model of 20 MB many times. Each subject has a process of its own.
 */
const executor = process.argv[3] === 'worker' ? 'worker' : 'native'
const megabytes = (): number => process.memoryUsage().rss / 1e6

function weighty(size: number) {
  const weights = tensor('FP32', [size, 1024], new Float32Array(size * 1024).fill(0.001))
  return onnxModel({
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', size] }],
    outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', 1024] }],
    initializers: { w: weights },
    nodes: [{ op: 'MatMul', inputs: ['INPUT0', 'w'], outputs: ['OUTPUT0'] }],
  })
}

const files = (size: number, instances: number) => ({
  'm/config.pbtxt': `backend: "onnxruntime" max_batch_size: 8 instance_group { kind: KIND_CPU count: ${instances} }`,
  'm/1/model.onnx': weighty(size),
})

/** The model's file is written in a function of its own, so that its bytes do not count. */
async function served(size: number, instances: number): Promise<number> {
  await using repository = await modelRepository(files(size, instances))
  globalThis.gc?.()
  const before = megabytes()
  await using server = await Server.start({ modelRepository: repository.path, backends: [onnx({ executor })] })
  const input = { INPUT0: tensor('FP32', [1, size], new Float32Array(size).fill(1)) }
  await Promise.all(Array.from({ length: 8 }, () => server.infer('m', input)))
  globalThis.gc?.()
  return megabytes() - before
}

async function cycles(count: number): Promise<void> {
  await using repository = await modelRepository(files(5_000, 2))
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [onnx({ executor })],
    modelControl: 'explicit',
  })
  const input = { INPUT0: tensor('FP32', [1, 5_000], new Float32Array(5_000).fill(1)) }
  for (let i = 1; i <= count; i++) {
    await server.load('m')
    await server.infer('m', input)
    await server.unload('m')
    if (i !== 20 && i !== count) continue
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 100))
    console.log(row(`after ${i} loads and unloads, MB`, megabytes().toFixed(1)))
  }
}

const subject = process.argv[2]
if (subject === 'one') console.log(row('200 MB of weights, 1 instance, MB', (await served(50_000, 1)).toFixed(1)))
else if (subject === 'two') console.log(row('200 MB of weights, 2 instances, MB', (await served(50_000, 2)).toFixed(1)))
else await cycles(200)

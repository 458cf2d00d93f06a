import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { mlpModel } from './models.ts'

/**
 * Requests per second that dynamic batching gains: a multilayer perceptron of about 1 ms, one instance of one thread,
 * 32 callers that each send the next request when they have the answer. The kinds of batching take turns in rounds.
 */
const callers = 32
const rounds = Number(process.argv[2] ?? 5)
const milliseconds = 1500
const width = 1024

const kinds = {
  'max_batch_size: 1': 'max_batch_size: 1',
  'dynamic_batching {}': `max_batch_size: ${callers} dynamic_batching {}`,
  'delay of 500 µs': `max_batch_size: ${callers} dynamic_batching { max_queue_delay_microseconds: 500 }`,
}

const config = (batching: string) => `backend: "onnxruntime" ${batching}
  input { name: "INPUT0" data_type: TYPE_FP32 dims: ${width} }
  output { name: "OUTPUT0" data_type: TYPE_FP32 dims: ${width} }
  instance_group { kind: KIND_CPU count: 1 }
  parameters { key: "intra_op_thread_count" value { string_value: "1" } }`

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

const model = mlpModel(width)
const data = new Float32Array(width).fill(0.5)
const files = Object.values(kinds).flatMap((batching, i): [string, string | Uint8Array][] => [
  [`m${i}/config.pbtxt`, config(batching)],
  [`m${i}/1/model.onnx`, model],
])
await using repository = await modelRepository(Object.fromEntries(files))
await using server = await Server.start({ modelRepository: repository.path, backends: [onnx()] })

async function requestsPerSecond(name: string): Promise<number> {
  const start = performance.now()
  let answers = 0
  const call = async () => {
    while (performance.now() - start < milliseconds) {
      await server.infer(name, { INPUT0: tensor('FP32', [1, width], data) })
      answers++
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return (answers * 1000) / (performance.now() - start)
}

const results = Object.keys(kinds).map((): number[] => [])
for (let round = 0; round < rounds; round++) {
  for (const [i, result] of results.entries()) result.push(await requestsPerSecond(`m${i}`))
}
console.log(`${callers} callers, median of ${rounds} rounds, Node ${process.version}`)
console.log('batching                requests/s     gain   mean batch')
for (const [i, name] of Object.keys(kinds).entries()) {
  const rate = median(results[i] as number[])
  const gain = median((results[i] as number[]).map((value, round) => value / (results[0]?.[round] as number)))
  const { inferenceCount = 0, executionCount = 1 } = server.statistics(`m${i}`)[0] ?? {}
  const batch = inferenceCount / executionCount
  console.log(
    `${name.padEnd(20)} ${rate.toFixed(0).padStart(13)} ${gain.toFixed(2).padStart(8)} ${batch.toFixed(1).padStart(12)}`,
  )
}

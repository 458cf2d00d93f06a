import { onnx } from '@triton-ts/backend-onnx'
import { localCache, type Model, type ResponseCache, Server, tensor } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { mlpModel, tinyModel } from './models.ts'

/**
 * What the response cache costs and saves: for each model one caller, one request at a time, without the cache, with it
 * and always hitting, and with it and always missing. The echo backend computes nothing and so shows the cost alone.
 */
const rounds = 7

interface Subject {
  readonly name: string
  readonly width: number
  readonly count: number
  readonly model?: Uint8Array
}

const subjects: readonly Subject[] = [
  { name: 'echo, 16 floats', width: 16, count: 20_000 },
  { name: 'echo, 4096 floats', width: 4096, count: 5000 },
  { name: 'echo, 150,528 floats', width: 150_528, count: 200 },
  { name: 'ONNX add, 16 floats', width: 16, count: 5000, model: tinyModel() },
  { name: 'ONNX MLP, 1024 floats', width: 1024, count: 300, model: mlpModel(1024) },
]

const config = ({ model, width }: Subject, cached: boolean) => `
  backend: "${model === undefined ? 'identity' : 'onnxruntime'}" max_batch_size: 8
  response_cache { enable: ${cached} } instance_group { kind: KIND_CPU count: 1 }
  input { name: "INPUT0" data_type: TYPE_FP32 dims: ${width} }
  output { name: "OUTPUT0" data_type: TYPE_FP32 dims: ${width} }`

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** Median over the rounds of the microseconds for each request. */
async function time(model: Model, { width, count }: Subject, fresh: boolean): Promise<number> {
  const data = new Float32Array(width)
  const request = { inputs: [{ name: 'INPUT0', tensor: tensor('FP32', [1, width], data) }] }
  await model.request(request)
  const results: number[] = []
  for (let round = 0; round < rounds + 2; round++) {
    const start = performance.now()
    for (let i = 0; i < count; i++) {
      if (fresh) data[0] = round * count + i + 1
      await model.request(request)
    }
    if (round >= 2) results.push(((performance.now() - start) * 1000) / count)
  }
  return median(results)
}

async function measure(subject: Subject, cache: ResponseCache): Promise<string> {
  const file = subject.model && { 'plain/1/model.onnx': subject.model, 'cached/1/model.onnx': subject.model }
  await using repository = await modelRepository({
    'plain/1/': '',
    'plain/config.pbtxt': config(subject, false),
    'cached/1/': '',
    'cached/config.pbtxt': config(subject, true),
    ...file,
  })
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [echoBackend(), onnx()],
    cache,
  })
  const run = await time(server.model('plain'), subject, false)
  const hit = await time(server.model('cached'), subject, false)
  const miss = await time(server.model('cached'), subject, true)
  const cells = [run, hit, miss].map((value) => value.toFixed(2).padStart(10)).join('')
  return `${subject.name.padEnd(24)}${cells}${(run / hit).toFixed(2).padStart(10)}`
}

console.log(`Node ${process.version}, one caller, median of ${rounds} rounds, µs each\n`)
console.log(`${''.padEnd(24)}${['run', 'hit', 'miss', 'run/hit'].map((title) => title.padStart(10)).join('')}`)
for (const subject of subjects) console.log(await measure(subject, localCache({ size: 256 * 2 ** 20 })))

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type InferRequest, type Model, Server, tensor } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { median } from './measure.ts'

/**
 * What the dynamic batcher costs, with a backend that computes nothing: requests per second from one caller that sends
 * 256 at a time; the default scheduler is the peer. With a number of millions as argument, also the memory before, while
 * and after so many requests went through.
 */
const millions = Number(process.argv[2] ?? 0)
const burst = 256
const rounds = 7

const data = new Float32Array(4)
const request: InferRequest = { inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 4], data) }] }
const config = (backend: string, dims: string, scheduling: string) => `
  backend: "${backend}" max_batch_size: 32 ${scheduling} instance_group { kind: KIND_CPU count: 1 }
  input { name: "IN" data_type: TYPE_FP32 dims: ${dims} } output { name: "OUT" data_type: TYPE_FP32 dims: ${dims} }`

async function send(model: Model, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += burst) {
    const answers: Promise<unknown>[] = []
    for (let i = 0; i < burst; i++) answers.push(model.request(request))
    await Promise.all(answers)
  }
}

/** Median over the rounds of the microseconds for each request. */
async function time(count: number, run: () => Promise<void>): Promise<number> {
  const results: number[] = []
  for (let round = 0; round < rounds + 2; round++) {
    const start = performance.now()
    await run()
    if (round >= 2) results.push(((performance.now() - start) * 1000) / count)
  }
  return median(results)
}

const schedulers = {
  'default scheduler': config('identity', '4', ''),
  'dynamic_batching {}, batches of 1': config('identity', '4', 'dynamic_batching {}'),
  'batches of 32': config('identity', '4', 'dynamic_batching { max_queue_delay_microseconds: 1000 }'),
  'batches of 32, variable shapes': config('identity', '-1', 'dynamic_batching { max_queue_delay_microseconds: 1000 }'),
  'batches of 32, timeouts': config(
    'identity',
    '4',
    'dynamic_batching { max_queue_delay_microseconds: 1000 default_queue_policy { default_timeout_microseconds: 1000000 } }',
  ),
  'batches of 32, preserve_ordering': config(
    'identity',
    '4',
    'dynamic_batching { max_queue_delay_microseconds: 1000 preserve_ordering: true }',
  ),
}

async function start(configs: Record<string, string>) {
  const files = Object.values(configs).flatMap((text, i) => [
    [`m${i}/config.pbtxt`, text],
    [`m${i}/1/`, ''],
  ])
  await using repository = await modelRepository(Object.fromEntries(files))
  return await Server.start({
    modelRepository: repository.path,
    backends: [echoBackend({ history: 0 })],
    exitTimeout: 0,
  })
}

async function throughput(): Promise<void> {
  await using server = await start(schedulers)
  console.log('scheduler                            µs each   requests/s')
  for (const [i, name] of Object.keys(schedulers).entries()) {
    const count = burst * 400
    const each = await time(count, () => send(server.model(`m${i}`), count))
    console.log(
      `${name.padEnd(36)} ${each.toFixed(2).padStart(7)} ${Math.round(1e6 / each)
        .toString()
        .padStart(12)}`,
    )
  }
}

async function memory(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await using server = await start(schedulers)
  console.log('\nmillions of requests   heap in MB    RSS in MB')
  for (let million = 0; million <= millions; million++) {
    if (million > 0) await send(server.model('m4'), 1_000_000)
    collect()
    const { heapUsed, rss } = process.memoryUsage()
    const [heap, resident] = [heapUsed, rss].map((bytes) => (bytes / 2 ** 20).toFixed(2).padStart(12))
    console.log(`${String(million).padStart(20)} ${heap} ${resident}`)
  }
}

console.log(`Node ${process.version}, one core, median of ${rounds} rounds\n`)
await throughput()
if (millions > 0) await memory()

import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type InferRequest, type Model, Server, tensor } from '@triton-ts/core'
import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'
import { echoBackend, modelRepository } from '@triton-ts/testing'

/**
 * What the dynamic batcher costs, with backends that compute nothing. First requests per second from one caller that
 * sends 256 at a time; then the cost of a request while a queue of some depth stays full, and of one that is cancelled
 * in it. With a number of millions as argument, also the heap over so many requests.
 */
const millions = Number(process.argv[2] ?? 0)
const burst = 256
const rounds = 7

const data = new Float32Array(4)
const request: InferRequest = { inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 4], data) }] }
const config = (backend: string, dims: string, scheduling: string) => `
  backend: "${backend}" max_batch_size: 32 ${scheduling} instance_group { kind: KIND_CPU count: 1 }
  input { name: "IN" data_type: TYPE_FP32 dims: ${dims} } output { name: "OUT" data_type: TYPE_FP32 dims: ${dims} }`

/** A backend whose every batch waits until it is let through. */
function gate(): { backend: Backend; open(): void } {
  let open = (): void => {}
  const execute = (requests: readonly ExecutionRequest[]) =>
    new Promise<void>((resolve) => {
      open = () => {
        for (const one of requests) one.respond({ outputs: {} })
        resolve()
      }
    })
  const instance = { execute, async dispose() {} }
  const model = { createInstance: async () => instance, async dispose() {} }
  return { backend: { name: 'gate', createModel: async () => model }, open: () => open() }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

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
const timeouts = 'default_queue_policy { default_timeout_microseconds: 100000000 allow_timeout_override: true }'
const queues = {
  plain: config('gate', '4', 'dynamic_batching {}'),
  timeouts: config('gate', '4', `dynamic_batching { ${timeouts} }`),
  priorities: config('gate', '4', `dynamic_batching { priority_levels: 10 default_priority_level: 5 ${timeouts} }`),
}

async function start(configs: Record<string, string>, backend: Backend) {
  const files = Object.values(configs).flatMap((text, i) => [
    [`m${i}/config.pbtxt`, text],
    [`m${i}/1/`, ''],
  ])
  await using repository = await modelRepository(Object.fromEntries(files))
  return await Server.start({ modelRepository: repository.path, backends: [backend], exitTimeout: 0 })
}

async function throughput(): Promise<void> {
  await using server = await start(schedulers, echoBackend())
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

async function depth(): Promise<void> {
  const depths = [1000, 10_000, 100_000]
  console.log(`\nµs each at depth${depths.map((depth) => String(depth).padStart(10)).join('')}`)
  for (const [i, name] of Object.keys(queues).entries()) {
    const passing: number[] = []
    const cancelled: number[] = []
    for (const depth of depths) {
      const { backend, open } = gate()
      const server = await start(queues, backend)
      const model = server.model(`m${i}`)
      let sent = 0
      const put = (count: number) => {
        for (let n = 0; n < count; n++, sent++) {
          const more = { priority: 1 + (sent % 10), timeoutMicroseconds: 50_000_000 + ((sent * 7919) % 10_000_000) }
          model.request({ ...request, ...more }).catch(() => {})
        }
      }
      put(depth)
      const count = 32 * 1000
      passing.push(
        await time(count, async () => {
          for (let done = 0; done < count; done += 32) {
            put(32)
            open()
            await setImmediate()
          }
        }),
      )
      cancelled.push(
        await time(10_000, async () => {
          for (let n = 0; n < 10_000; n++) {
            const caller = new AbortController()
            model.request({ ...request, signal: caller.signal }).catch(() => {})
            caller.abort()
          }
          await setImmediate()
        }),
      )
      await server.stop().catch(() => {})
    }
    const row = (values: readonly number[]) => values.map((value) => value.toFixed(2).padStart(10)).join('')
    console.log(`${name.padEnd(16)}${row(passing)}\n${'  cancelled'.padEnd(16)}${row(cancelled)}`)
  }
}

async function memory(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await using server = await start(schedulers, echoBackend())
  console.log('\nmillions   heap in MB')
  for (let million = 1; million <= millions; million++) {
    await send(server.model('m4'), 1_000_000)
    collect()
    const heap = process.memoryUsage().heapUsed / 2 ** 20
    console.log(`${String(million).padStart(8)} ${heap.toFixed(2).padStart(12)}`)
  }
}

console.log(`Node ${process.version}, one core, median of ${rounds} rounds\n`)
await throughput()
await depth()
if (millions > 0) await memory()

import { setImmediate } from 'node:timers/promises'
import { defineModel, Server, tensor } from '@triton-ts/core'
import { Gauge, Histogram, Registry } from 'prom-client'
import { median } from './measure.ts'

/**
 * What metrics cost: a page of 1, 100 and 10,000 models, and how long the event loop is held while it is made in parts;
 * prom-client with as many series of the same kinds is the peer. Then what an inference costs with and without the
 * families that triton-ts has beyond Triton, and an observation of prom-client.
 */
const rounds = 9

const double = defineModel({
  config: {
    input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [4] }],
    output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [4] }],
  },
  infer: ({ inputs }) => ({ OUT: inputs.IN?.data ?? [] }),
})

const start = (count: number): Promise<Server> =>
  Server.start({
    models: Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, double])),
  })

async function medianOf(run: () => number | Promise<number>): Promise<number> {
  const results: number[] = []
  for (let round = 0; round < rounds + 2; round++) {
    const result = await run()
    if (round >= 2) results.push(result)
  }
  return median(results)
}

const timed = async (work: () => unknown): Promise<number> => {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** The longest that one part of the page holds the event loop. */
async function longestPart(server: Server): Promise<number> {
  let longest = 0
  let begin = performance.now()
  for (const part of server.metricsInParts()) {
    Buffer.from(part)
    longest = Math.max(longest, performance.now() - begin)
    await setImmediate()
    begin = performance.now()
  }
  return longest
}

async function pages(): Promise<void> {
  console.log('models    lines   ms a page   longest part   prom-client, as many series')
  for (const count of [1, 100, 10_000]) {
    await using server = await start(count)
    const page = server.metrics()
    const lines = page.split('\n').length
    const ours = await medianOf(() => timed(() => server.metrics()))
    const part = await medianOf(() => longestPart(server))
    const peer = registryOf(page)
    const theirs = await medianOf(() => timed(() => peer.metrics()))
    const cells = [count, lines, ours.toFixed(2), part.toFixed(2), theirs.toFixed(2)]
    console.log(cells.map((cell, i) => String(cell).padStart([6, 9, 12, 15, 14][i] ?? 0)).join(''))
  }
}

/** prom-client with a gauge for each family and a series for each line. */
function registryOf(page: string): Registry {
  const registry = new Registry()
  const gauges = new Map<string, Gauge>()
  for (const line of page.split('\n')) {
    const [, name, labels] = /^([a-z_]+)\{(.*)\} /.exec(line) ?? []
    if (name === undefined || labels === undefined) continue
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value] as const)
    const labelNames = pairs.map(([key]) => key as string)
    let gauge = gauges.get(name)
    if (gauge === undefined) {
      gauge = new Gauge({ name, help: name, labelNames, registers: [registry] })
      gauges.set(name, gauge)
    }
    gauge.set(Object.fromEntries(pairs), 0)
  }
  return registry
}

async function observations(): Promise<void> {
  const count = 200_000
  const bounds = Array.from({ length: 18 }, (_, i) => 0.0001 * 2 ** i)
  const histogram = new Histogram({
    name: 'h',
    help: 'h',
    labelNames: ['model', 'version'],
    buckets: bounds,
    registers: [],
  })
  const child = histogram.labels('m', '1')
  const values = Float64Array.from({ length: 1024 }, (_, i) => ((i * 7919) % 1024) / 1000)
  const peer = await medianOf(() =>
    timed(() => {
      for (let i = 0; i < count; i++) child.observe(values[i % 1024] as number)
    }),
  )
  await using server = await start(1)
  const model = server.model('m0')
  const request = { inputs: [{ name: 'IN', tensor: tensor('FP32', [4], new Float32Array(4)) }] }
  const inference = await medianOf(() =>
    timed(async () => {
      for (let sent = 0; sent < 20_000; sent += 100) {
        await Promise.all(Array.from({ length: 100 }, () => model.request(request)))
      }
    }),
  )
  console.log(`\nan inference, which counts and is in three histograms: ${((inference / 20_000) * 1000).toFixed(2)} µs`)
  console.log(`prom-client, one observation of one histogram: ${((peer / count) * 1e6).toFixed(0)} ns`)
}

console.log(`Node ${process.version}, median of ${rounds} rounds\n`)
await pages()
await observations()

import { Server, type ServerOptions, tensor } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { median, row } from './measure.ts'

/**
 * What it costs to say which version answers a request, and that models come on demand: calls of an echo model, one after
 * the other, in short turns that alternate between Servers of one process. The peer is a Server that does neither.
 */
const turns = Number(process.argv[2] ?? 300)
const calls = 500

const io = { dataType: 'TYPE_FP32', dims: [16] } as const
const config = { backend: 'identity', maxBatchSize: 8, versionPolicy: { all: {} } } as const
await using repository = await modelRepository({
  'm/config.pbtxt': { ...config, input: [{ name: 'X', ...io }], output: [{ name: 'Y', ...io }] },
  'm/1/': '',
  'm/2/': '',
})
const started = (options: ServerOptions): Promise<Server> =>
  Server.start({ modelRepository: repository.path, backends: [echoBackend({ history: 0 })], ...options })

await using plain = await started({})
await using split = await started({ trafficSplit: { m: { weights: { 1: 90, 2: 10 } } } })
await using onDemand = await started({ modelControl: 'on-demand' })

const inputs = [{ name: 'X', tensor: tensor('FP32', [1, 16], new Float32Array(16)) }]
let user = 0
const subjects = [
  { name: 'peer: neither', server: plain, request: () => ({ inputs }) },
  { name: 'split, no key', server: split, request: () => ({ inputs }) },
  { name: 'split, sticky key', server: split, request: () => ({ inputs, stickyKey: `user-${user++ % 1000}` }) },
  { name: 'on demand, the model is there', server: onDemand, request: () => ({ inputs }) },
].map((subject) => ({ ...subject, model: subject.server.model('m'), times: [] as number[] }))

for (let turn = 0; turn < turns * 1.2; turn++) {
  for (const { model, request, times } of subjects) {
    const begin = performance.now()
    for (let call = 0; call < calls; call++) await model.request(request())
    if (turn >= turns * 0.2) times.push(((performance.now() - begin) * 1000) / calls)
  }
}

console.log(`µs per call, median of ${turns} turns of ${calls}, Node ${process.version}`)
console.log(row('', 'each', 'added'))
const peer = median(subjects[0]?.times ?? [])
for (const { name, times } of subjects) {
  console.log(row(name, median(times).toFixed(2), (median(times) - peer).toFixed(2)))
}

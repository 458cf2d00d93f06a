import { fileURLToPath } from 'node:url'
import { native } from '@triton-ts/backend-native'
import { Server, tensor } from '@triton-ts/core'
import type { Backend } from '@triton-ts/core/backend'
import { modelRepository } from '@triton-ts/testing'
import { type CallFigures, measureCalls, median, row } from './measure.ts'

/**
 * What Triton's backend interface costs: the identity library of the tests, one instance, 16 floats. The peer is a
 * backend in JavaScript that answers with its inputs. Triton's own identity backend, in process and called through the C
 * API, was measured before: 46,700 requests/s, p50 11 µs with one caller.
 */
const rounds = Number(process.argv[2] ?? 5)
const directory = fileURLToPath(new URL('../../native/build/Release/test-backends', import.meta.url))
const input = { INPUT0: tensor('FP32', [1, 16], new Float32Array(16).fill(0.5)) }

const inJavaScript: Backend = {
  name: 'javascript',
  createModel: async () => ({
    createInstance: async () => ({
      execute: (requests) => {
        for (const request of requests) {
          const OUTPUT0 = request.inputs.get('INPUT0')
          if (OUTPUT0 !== undefined) request.respond({ outputs: { OUTPUT0 } })
        }
      },
      dispose: async () => {},
    }),
    dispose: async () => {},
  }),
}

const config = (backend: string, batching: string) => `backend: "${backend}" max_batch_size: 64
  input { name: "INPUT0" data_type: TYPE_FP32 dims: 16 } output { name: "OUTPUT0" data_type: TYPE_FP32 dims: 16 }
  instance_group { kind: KIND_CPU count: 1 } ${batching}`

await using repository = await modelRepository({
  'library/config.pbtxt': config('identity', ''),
  'library/1/none': '',
  'batched/config.pbtxt': config('identity', 'dynamic_batching { }'),
  'batched/1/none': '',
  'peer/config.pbtxt': config('javascript', ''),
  'peer/1/none': '',
})
await using server = await Server.start({
  modelRepository: repository.path,
  backends: [inJavaScript, native({ directory })],
})

const scenarios = [
  ['JavaScript backend, 1 caller', 'peer', 1, 40_000],
  ['library, 1 caller', 'library', 1, 20_000],
  ['library, 64 callers', 'library', 64, 60_000],
  ['library, 64 callers, batches', 'batched', 64, 100_000],
] as const

console.log(`${rounds} rounds, medians, Node ${process.version}`)
console.log(row('', 'p50 µs', 'requests/s', 'CPU µs each'))
const results = scenarios.map(() => [] as CallFigures[])
for (let round = 0; round <= rounds; round++) {
  for (const [i, [, model, depth, calls]] of scenarios.entries()) {
    const figures = await measureCalls(() => server.infer(model, input), depth, calls)
    if (round > 0) results[i]?.push(figures)
  }
}
for (const [i, [name]] of scenarios.entries()) {
  const of = (key: keyof CallFigures): number => median((results[i] ?? []).map((figures) => figures[key]))
  console.log(row(name, of('p50').toFixed(1), (1e6 / of('each')).toFixed(0), of('cpu').toFixed(1)))
}

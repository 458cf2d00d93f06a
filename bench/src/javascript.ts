import { javascript } from '@triton-ts/backend-javascript'
import { defineModel, Server, tensor } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { type CallFigures, measureCalls, median, row } from './measure.ts'

/**
 * An identity model in TypeScript beside the echo backend, which is the engine alone: given in code, in a file that runs
 * on the event loop, and in a worker thread. They take turns in one process; medians over the rounds are printed.
 */
const rounds = Number(process.argv[2] ?? 7)

const sizes = [
  { name: '16 floats', width: 16, calls: 20_000, workerCalls: 4000 },
  { name: '600 KB', width: 150_000, calls: 4000, workerCalls: 500 },
]

const io = (width: number) => ({
  maxBatchSize: 8,
  input: [{ name: 'IN', dataType: 'TYPE_FP32' as const, dims: [width] }],
  output: [{ name: 'OUT', dataType: 'TYPE_FP32' as const, dims: [width] }],
  instanceGroup: [{ kind: 'KIND_CPU' as const, count: 1 }],
})

const file = 'export default { infer: ({ inputs }) => ({ OUT: inputs.IN }) }'
const placed = (place: string) => ({ EXECUTE_IN: { stringValue: place } })

console.log(`µs per call, ${rounds} rounds, Node ${process.version}`)
for (const { name, width, calls, workerCalls } of sizes) {
  await using repository = await modelRepository({
    'echo/config.pbtxt': { backend: 'identity', ...io(width) },
    'echo/1/': '',
    'inline/config.pbtxt': { backend: 'javascript', ...io(width), parameters: placed('inline') },
    'inline/1/model.ts': file,
    'worker/config.pbtxt': { backend: 'javascript', ...io(width), parameters: placed('worker') },
    'worker/1/model.ts': file,
  })
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [echoBackend({ history: 0 }), javascript()],
    models: { code: defineModel({ config: io(width), infer: ({ inputs }) => ({ OUT: inputs.IN as never }) }) },
  })
  const input = { IN: tensor('FP32', [1, width], new Float32Array(width).fill(0.5)) }
  const subjects = ['echo', 'code', 'inline', 'worker'].flatMap((model) =>
    [1, 8].map((depth) => ({ model, depth, results: [] as CallFigures[] })),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const { model, depth, results } of subjects) {
      const count = model === 'worker' ? workerCalls : calls
      const figures = await measureCalls(() => server.infer(model, input), depth, count)
      // The first round warms up.
      if (round > 0) results.push(figures)
    }
  }
  console.log(row(`${name}, callers`, 'p50', 'each', 'CPU', 'p50 over echo'))
  for (const { model, depth, results } of subjects) {
    const of = (figure: keyof CallFigures, from: readonly CallFigures[]) => median(from.map((one) => one[figure]))
    const echo = subjects.find((other) => other.model === 'echo' && other.depth === depth)?.results ?? []
    const figures = [
      of('p50', results),
      of('each', results),
      of('cpu', results),
      of('each', results) - of('each', echo),
    ]
    console.log(row(`${model}, ${depth}`, ...figures.map((value) => value.toFixed(2))))
  }
}

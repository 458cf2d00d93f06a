import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import ort from 'onnxruntime-node'
import { convolutionModel, repositoryFiles, tinyModel } from './models.ts'

/**
 * What `server.infer` adds to a bare `session.run`, which blocks the event loop while it computes. Both run one after
 * the other in the same process, in rounds; the median over the rounds of the mean time per call is printed.
 */
const rounds = Number(process.argv[2] ?? 7)

interface Scenario {
  readonly name: string
  readonly model: Uint8Array
  readonly shape: readonly number[]
  readonly inputDims: string
  readonly outputDims: string
  readonly calls: number
}

const scenarios: readonly Scenario[] = [
  { name: 'add, 16 floats', model: tinyModel(), shape: [1, 16], inputDims: '16', outputDims: '16', calls: 4000 },
  {
    name: 'convolutions, about 10 ms',
    model: convolutionModel(24),
    shape: [1, 3, 64, 64],
    inputDims: '[3, -1, -1]',
    outputDims: '[32, 1, 1]',
    calls: 60,
  },
]

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

interface Times {
  /** Microseconds of each call. */
  readonly calls: Float64Array
  readonly mean: number
}

async function time(count: number, call: () => Promise<unknown>): Promise<Times> {
  const calls = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    await call()
    calls[i] = (performance.now() - start) * 1000
  }
  return { calls, mean: calls.reduce((sum, value) => sum + value, 0) / count }
}

interface Round {
  readonly bare: Times
  readonly ours: Times
}

/** A fresh session and a fresh server each time: where their memory lies changes the time of a run by some percent. */
async function measure({ model, shape, inputDims, outputDims, calls }: Scenario): Promise<Round> {
  await using repository = await modelRepository(repositoryFiles('m', model, inputDims, outputDims, 1))
  await using server = await Server.start({ modelRepository: repository.path, backends: [onnx()] })
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 })
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(0.5)
  const bare = () => session.run({ INPUT0: new ort.Tensor('float32', data, [...shape]) })
  const ours = () => server.infer('m', { INPUT0: tensor('FP32', shape, data) })
  await time(calls >> 2, bare)
  await time(calls >> 2, ours)
  const round = { bare: await time(calls, bare), ours: await time(calls, ours) }
  await session.release()
  return round
}

const p50 = (rounds: readonly Times[]): number => median(rounds.flatMap(({ calls }) => [...calls]))
const mean = (rounds: readonly Times[]): number => median(rounds.map((round) => round.mean))

console.log(`µs per call, one caller, ${rounds} rounds, Node ${process.version}`)
console.log('model                      figure   session.run   server.infer      added')
for (const scenario of scenarios) {
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) results.push(await measure(scenario))
  for (const [figure, of] of Object.entries({ p50, mean })) {
    const run = of(results.map((result) => result.bare))
    const infer = of(results.map((result) => result.ours))
    console.log(
      `${scenario.name.padEnd(26)} ${figure.padEnd(6)} ${run.toFixed(1).padStart(13)} ${infer.toFixed(1).padStart(14)} ` +
        `${(infer - run).toFixed(1).padStart(10)} (${(((infer - run) / run) * 100).toFixed(1)} %)`,
    )
  }
}

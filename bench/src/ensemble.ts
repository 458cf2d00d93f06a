import { onnx } from '@triton-ts/backend-onnx'
import { Server, type Tensor, tensor } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { cpuMicroseconds, median, row } from './measure.ts'
import { mlpModel, repositoryFiles, tinyModel } from './models.ts'

/**
 * An ensemble that runs one model several times, one run after the other, beside a caller that awaits as many calls of
 * `server.infer`. The echo backend computes nothing and so shows the cost of the ensemble alone. They take short turns in
 * one process, so that what else the machine does hits both; medians over the turns are printed.
 */
const turns = Number(process.argv[2] ?? 200)

interface Subject {
  readonly name: string
  readonly width: number
  readonly steps: number
  /** Of one turn. */
  readonly calls: number
  readonly model?: Uint8Array
}

const subjects: readonly Subject[] = [
  { name: 'echo, 3 steps', width: 16, steps: 3, calls: 500 },
  { name: 'ONNX add, 10 steps', width: 16, steps: 10, calls: 10, model: tinyModel() },
  { name: 'ONNX MLP, 10 steps', width: 512, steps: 10, calls: 5, model: mlpModel(512) },
]

const echo = (width: number) => ({
  'm/1/': '',
  'm/config.pbtxt': `backend: "identity" max_batch_size: 8 instance_group { kind: KIND_CPU count: 1 }
    input { name: "INPUT0" data_type: TYPE_FP32 dims: ${width} }
    output { name: "OUTPUT0" data_type: TYPE_FP32 dims: ${width} }`,
})

function ensemble({ width, steps }: Subject): string {
  const tensors = ['INPUT0', ...Array.from({ length: steps - 1 }, (_, i) => `t${i}`), 'OUTPUT0']
  const texts = Array.from(
    { length: steps },
    (_, i) => `step { model_name: "m" model_version: -1
      input_map { key: "INPUT0" value: "${tensors[i]}" } output_map { key: "OUTPUT0" value: "${tensors[i + 1]}" } }`,
  )
  return `platform: "ensemble" max_batch_size: 8
    input { name: "INPUT0" data_type: TYPE_FP32 dims: ${width} }
    output { name: "OUTPUT0" data_type: TYPE_FP32 dims: ${width} }
    ensemble_scheduling { ${texts.join('\n')} }`
}

async function measure(subject: Subject): Promise<string> {
  const { name, width, steps, calls, model } = subject
  await using repository = await modelRepository({
    ...(model === undefined ? echo(width) : repositoryFiles('m', model, String(width), String(width), 1)),
    'e/1/': '',
    'e/config.pbtxt': ensemble(subject),
  })
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [echoBackend({ history: 0 }), onnx()],
  })
  const input = tensor('FP32', [1, width], new Float32Array(width).fill(0.5))
  const byHand = async (): Promise<void> => {
    let value: Tensor = input
    for (let step = 0; step < steps; step++) value = (await server.infer('m', { INPUT0: value })).OUTPUT0 as Tensor
  }
  const hand = new Meter(byHand)
  const whole = new Meter(() => server.infer('e', { INPUT0: input }))
  for (let turn = 0; turn < turns * 1.2; turn++) {
    const isMeasured = turn >= turns * 0.2
    await hand.turn(calls, isMeasured)
    await whole.turn(calls, isMeasured)
  }
  const figures = [hand.each, whole.each, whole.each - hand.each, whole.each / hand.each, hand.cpu, whole.cpu]
  return row(name, ...figures.map((value) => value.toFixed(2)))
}

/** Microseconds of a call, in turns of several calls. */
class Meter {
  readonly #call: () => Promise<unknown>
  readonly #times: number[] = []
  readonly #cpuTimes: number[] = []

  constructor(call: () => Promise<unknown>) {
    this.#call = call
  }

  async turn(calls: number, isMeasured: boolean): Promise<void> {
    const cpu = cpuMicroseconds()
    const start = performance.now()
    for (let i = 0; i < calls; i++) await this.#call()
    if (!isMeasured) return
    this.#times.push(((performance.now() - start) * 1000) / calls)
    this.#cpuTimes.push((cpuMicroseconds() - cpu) / calls)
  }

  get each(): number {
    return median(this.#times)
  }

  get cpu(): number {
    return median(this.#cpuTimes)
  }
}

console.log(`µs for each request, one caller, medians of ${turns} turns, Node ${process.version}`)
console.log(row('', 'calls by hand', 'ensemble', 'added', 'ratio', 'CPU by hand', 'CPU ensemble'))
for (const subject of subjects) console.log(await measure(subject))

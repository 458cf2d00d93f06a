import { type InferRequest, type Model, Server, tensor } from '@triton-ts/core'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { cpuMicroseconds, median, row } from './measure.ts'

/**
 * What a request of a sequence costs while so many sequences are live, with a backend that computes nothing. Every
 * sequence sends its next request when all have their answers. The peer is the dynamic batcher with as many requests at
 * once. All numbers of a line take turns in rounds. Argument: rounds.
 */
const rounds = Number(process.argv[2] ?? 7)
const numbers = [10, 100, 1_000, 10_000]
const batch = 10
const requestsPerRound = 20_000

const control = (name: string, kind: string) =>
  `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} fp32_false_true: [ 0, 1 ] } }`
const controls = control('START', 'START') + control('END', 'END') + control('READY', 'READY')
const idle = 'max_sequence_idle_microseconds: 600000000'
const state = `state { input_name: "PAST" output_name: "NOW" data_type: TYPE_FP32 dims: 4
  initial_state { name: "zero" data_type: TYPE_FP32 dims: 4 zero_data: true } }`

/** Waits for full batches, which always come, so that no batch is smaller where fewer sequences are live. */
const delay = 'max_queue_delay_microseconds: 1000000'

const lines: Record<string, (live: number) => { readonly scheduling: string; readonly instances: number }> = {
  'peer: dynamic_batching': () => ({ scheduling: `dynamic_batching { ${delay} }`, instances: 1 }),
  oldest: (live) => ({ scheduling: oldest(live), instances: 1 }),
  'oldest, a state': (live) => ({ scheduling: oldest(live, state), instances: 1 }),
  direct: (live) => ({ scheduling: direct(), instances: live / batch }),
  'direct, a state': (live) => ({ scheduling: direct(state), instances: live / batch }),
}

const oldest = (live: number, more = '') =>
  `sequence_batching { ${idle} ${controls} ${more} oldest { max_candidate_sequences: ${live} ${delay} } }`

const direct = (more = '') =>
  `sequence_batching { ${idle} ${controls} ${more} direct { minimum_slot_utilization: 1 ${delay} } }`

const config = (scheduling: string, instances: number) => `backend: "identity" max_batch_size: ${batch} ${scheduling}
  input { name: "IN" data_type: TYPE_FP32 dims: 4 } output { name: "OUT" data_type: TYPE_FP32 dims: 4 }
  instance_group { kind: KIND_CPU count: ${instances} }`

const request: InferRequest = { inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 4], new Float32Array(4)) }] }

/** A model with its live sequences. */
class Live {
  readonly #server: Server
  readonly #model: Model
  readonly #ids: readonly number[]

  constructor(server: Server, ids: readonly number[]) {
    this.#server = server
    this.#model = server.model('m')
    this.#ids = ids
  }

  static async start(line: (live: number) => { scheduling: string; instances: number }, count: number): Promise<Live> {
    const { scheduling, instances } = line(count)
    await using repository = await modelRepository({ 'm/config.pbtxt': config(scheduling, instances), 'm/1/': '' })
    const backends = [echoBackend({ history: 0 })]
    const server = await Server.start({ modelRepository: repository.path, backends })
    const ids = Array.from({ length: count }, (_, i) => i + 1)
    await new Live(server, ids).step({ sequenceStart: true })
    return new Live(server, byInstance(ids, instances))
  }

  /** One request of every sequence. */
  async step(flags: Partial<InferRequest> = {}): Promise<void> {
    const answers: Promise<unknown>[] = []
    for (const correlationId of this.#ids) answers.push(this.#model.request({ ...request, correlationId, ...flags }))
    await Promise.all(answers)
  }

  async stop(): Promise<void> {
    await this.step({ sequenceEnd: true })
    await this.#server.stop()
  }
}

/** Sequences spread over the instances. In this order each instance has its batch together as soon as it can. */
const byInstance = (ids: readonly number[], instances: number): number[] =>
  Array.from({ length: instances }, (_, instance) => ids.filter((_, i) => i % instances === instance)).flat()

console.log(`µs of CPU time for each request, median of ${rounds} rounds, Node ${process.version}`)
console.log(row('live sequences', ...numbers.map(String), 'max / min'))
for (const [name, line] of Object.entries(lines)) {
  const live: Live[] = []
  for (const number of numbers) live.push(await Live.start(line, number))
  const results = numbers.map((): number[] => [])
  for (let round = -2; round < rounds; round++) {
    for (const [i, number] of numbers.entries()) {
      const steps = Math.ceil(requestsPerRound / number)
      const cpu = cpuMicroseconds()
      for (let step = 0; step < steps; step++) await live[i]?.step()
      if (round >= 0) results[i]?.push((cpuMicroseconds() - cpu) / (steps * number))
    }
  }
  for (const one of live) await one.stop()
  const medians = results.map(median)
  const ratio = Math.max(...medians) / Math.min(...medians)
  console.log(row(name, ...medians.map((value) => value.toFixed(2)), ratio.toFixed(2)))
}

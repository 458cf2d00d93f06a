import { setImmediate } from 'node:timers/promises'
import { type InferRequest, type Model, Server, tensor } from '@triton-ts/core'
import { modelRepository, type VirtualClock, virtualClock } from '@triton-ts/testing'
import { gate } from './gate.ts'
import { cpuMicroseconds, median, row } from './measure.ts'

/**
 * What a request costs while so many others wait in the queue of the dynamic batcher: it comes in, and it leaves in a
 * batch of 32, by its caller's signal, or because its time is over. The peer keeps as many pending promises in a plain
 * array and does nothing else. All depths of a line take turns in rounds. Argument: rounds.
 */
const rounds = Number(process.argv[2] ?? 7)
const depths = [100, 1_000, 10_000, 100_000]
const batch = 32
const requestsPerRound = batch * 500

const request: InferRequest = { inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 4], new Float32Array(4)) }] }
const timeouts = 'default_queue_policy { default_timeout_microseconds: 100000000 allow_timeout_override: true }'
const priorities = 'priority_levels: 10 default_priority_level: 5'
const config = (batching: string) => `backend: "gate" max_batch_size: ${batch} dynamic_batching { ${batching} }
  input { name: "IN" data_type: TYPE_FP32 dims: 4 } output { name: "OUT" data_type: TYPE_FP32 dims: 4 }
  instance_group { kind: KIND_CPU count: 1 }`

/** Something that holds `depth` others while requests go through. */
interface Line {
  /** Brings so many requests in, and as many out. */
  pass(count: number): Promise<void>
  stop(): Promise<void>
}

/** How the other half of the requests leaves the queue, where there is one. */
type Withdrawn = 'none' | 'cancelled' | 'expired'

/** Requests that go through a queue whose depth stays the same. */
class Queue implements Line {
  readonly #server: Server
  readonly #model: Model
  readonly #clock: VirtualClock
  readonly #open: () => void
  readonly #withdrawn: Withdrawn
  #sent = 0

  private constructor(server: Server, clock: VirtualClock, open: () => void, withdrawn: Withdrawn) {
    this.#server = server
    this.#model = server.model('m')
    this.#clock = clock
    this.#open = open
    this.#withdrawn = withdrawn
  }

  static async start(batching: string, withdrawn: Withdrawn, depth: number): Promise<Queue> {
    await using repository = await modelRepository({ 'm/config.pbtxt': config(batching), 'm/1/': '' })
    const clock = virtualClock()
    const { backend, open } = gate()
    const options = { modelRepository: repository.path, backends: [backend], clock, exitTimeout: 0 }
    const queue = new Queue(await Server.start(options), clock, open, withdrawn)
    for (let i = 0; i < depth + batch; i++) queue.#send()
    return queue
  }

  async pass(count: number): Promise<void> {
    const each = this.#withdrawn === 'none' ? batch : 2 * batch
    for (let done = 0; done < count; done += each) {
      if (this.#withdrawn === 'none') for (let i = 0; i < batch; i++) this.#send()
      else this.#sendAndWithdraw()
      this.#open()
      await setImmediate()
    }
  }

  /** Half of the requests come to run, the others leave the queue before. */
  #sendAndWithdraw(): void {
    const isCancelled = this.#withdrawn === 'cancelled'
    for (let i = 0; i < batch; i++) {
      this.#send()
      const caller = new AbortController()
      this.#send(isCancelled ? { signal: caller.signal } : { timeoutMicroseconds: 1 })
      if (isCancelled) caller.abort()
    }
    if (!isCancelled) this.#clock.advance(0.01)
  }

  #send(more: Partial<InferRequest> = {}): void {
    const n = this.#sent++
    const own = { priority: 1 + (n % 10), timeoutMicroseconds: 50_000_000 + ((n * 7919) % 10_000_000) }
    this.#model.request({ ...request, ...own, ...more }).catch(() => {})
  }

  async stop(): Promise<void> {
    const stopped = this.#server.stop().catch(() => {})
    this.#clock.advance(1)
    await stopped
  }
}

/** The least that anything that waits has to do. */
class Promises implements Line {
  readonly #waiting: (() => void)[] = []
  #first = 0

  constructor(depth: number) {
    for (let i = 0; i < depth; i++) this.#wait()
  }

  async pass(count: number): Promise<void> {
    for (let done = 0; done < count; done += batch) {
      for (let i = 0; i < batch; i++) this.#wait()
      for (let i = 0; i < batch; i++) this.#waiting[this.#first++]?.()
      await setImmediate()
    }
    this.#waiting.splice(0, this.#first)
    this.#first = 0
  }

  #wait(): void {
    new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => {})
  }

  async stop(): Promise<void> {}
}

const lines: Record<string, (depth: number) => Promise<Line>> = {
  'peer: pending promises': async (depth) => new Promises(depth),
  plain: (depth) => Queue.start('', 'none', depth),
  priorities: (depth) => Queue.start(priorities, 'none', depth),
  timeouts: (depth) => Queue.start(timeouts, 'none', depth),
  'priorities, timeouts': (depth) => Queue.start(`${priorities} ${timeouts}`, 'none', depth),
  'half of them cancelled': (depth) => Queue.start(`${priorities} ${timeouts}`, 'cancelled', depth),
  'half of them expired': (depth) => Queue.start(`${priorities} ${timeouts}`, 'expired', depth),
}

console.log(`µs of CPU time for each request, median of ${rounds} rounds, Node ${process.version}`)
console.log(row('depth', ...depths.map(String), 'max / min'))
for (const [name, start] of Object.entries(lines)) {
  const open: Line[] = []
  for (const depth of depths) open.push(await start(depth))
  const results = depths.map((): number[] => [])
  for (let round = -2; round < rounds; round++) {
    for (const [i, line] of open.entries()) {
      const cpu = cpuMicroseconds()
      await line.pass(requestsPerRound)
      if (round >= 0) results[i]?.push((cpuMicroseconds() - cpu) / requestsPerRound)
    }
  }
  for (const line of open) await line.stop()
  const medians = results.map(median)
  const ratio = Math.max(...medians) / Math.min(...medians)
  console.log(row(name, ...medians.map((value) => value.toFixed(2)), ratio.toFixed(2)))
}

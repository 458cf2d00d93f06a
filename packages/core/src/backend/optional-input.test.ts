import { setImmediate } from 'node:timers/promises'
import { echoBackend, modelRepository, type VirtualClock, virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { Server, tensor } from '../index.ts'

/** Triton's L0_optional_input: requests run together only where they bring the same inputs. */

const config = `backend: "identity" max_batch_size: 4
  input { name: "INPUT0" data_type: TYPE_FP32 dims: 1 optional: true }
  input { name: "INPUT1" data_type: TYPE_FP32 dims: 1 optional: true }
  output { name: "OUTPUT0" data_type: TYPE_FP32 dims: 1 }
  output { name: "OUTPUT1" data_type: TYPE_FP32 dims: 1 }
  dynamic_batching { max_queue_delay_microseconds: 5000000 }
  instance_group { kind: KIND_CPU count: 1 }`

interface Scenario {
  readonly server: Server
  readonly clock: VirtualClock
  /** What was answered so far, in order. */
  readonly answered: number[]
  /** Sends the inputs of these numbers, and asks for the outputs that echo them. */
  send(id: number, ...inputs: (0 | 1)[]): Promise<void>
}

async function scenario(run: (scenario: Scenario) => Promise<void>): Promise<void> {
  await using repository = await modelRepository({ 'm/1/': '', 'm/config.pbtxt': config })
  const clock = virtualClock()
  await using server = await Server.start({ modelRepository: repository.path, backends: [echoBackend()], clock })
  const answered: number[] = []
  const send = async (id: number, ...inputs: (0 | 1)[]): Promise<void> => {
    const tensors = inputs.map((n) => [`INPUT${n}`, tensor('FP32', [1, 1], Float32Array.of(1 - n))] as const)
    void server
      .infer('m', Object.fromEntries(tensors), { outputs: inputs.map((n) => `OUTPUT${n}`) })
      .then((outputs) => {
        answered.push(id)
        for (const n of inputs) expect(outputs[`OUTPUT${n}`]?.data).toEqual(Float32Array.of(1 - n))
      })
    await setImmediate()
  }
  await run({ server, clock, answered, send })
}

const sizes = (server: Server) => {
  const [statistics] = server.statistics('m')
  expect(statistics?.inferenceStats.success.count).toBe(statistics?.inferenceCount)
  return statistics?.batchStats.map(({ batchSize, computeInfer }) => [batchSize, computeInfer.count])
}

test.each<[string, (0 | 1)[]]>([
  ['all inputs', [0, 1]],
  ['the same one of two inputs', [1]],
])('requests with %s wait for each other', (_, inputs) =>
  scenario(async ({ server, clock, answered, send }) => {
    await send(1, ...inputs)
    await send(2, ...inputs)
    clock.advance(4999)
    await setImmediate()
    expect(answered).toEqual([])
    clock.advance(1)
    await setImmediate()
    expect(answered).toEqual([1, 2])
    expect(sizes(server)).toEqual([[2, 1]])
  }),
)

test.each<[string, (0 | 1)[], (0 | 1)[]]>([
  ['one or the other input', [0], [1]],
  ['one or both inputs', [0], [0, 1]],
])('with %s in turn, each request sends the one before, and the last one waits', (_, odd, even) =>
  scenario(async ({ server, clock, answered, send }) => {
    await send(1, ...odd)
    await send(2, ...even)
    expect(answered).toEqual([1])
    await send(3, ...odd)
    await send(4, ...even)
    expect(answered).toEqual([1, 2, 3])
    clock.advance(5000)
    await setImmediate()
    expect(answered).toEqual([1, 2, 3, 4])
    expect(sizes(server)).toEqual([[1, 4]])
  }),
)

import type { Outputs } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { config, input, parameter, started } from './fixtures/rig.ts'

const one = (more = '') => ({ 'm/config.pbtxt': config(more), 'm/1/': '' })
const values = ({ OUT }: Outputs): number[] => Array.from((OUT?.data ?? []) as Float32Array)
const doing = (what: string, more = {}) => ({ parameters: { do: what, ...more } })

test('a model answers from another process', async () => {
  const { server, log } = await started(one())
  const { OUT } = await server.infer('m', input(3, 4))
  expect([OUT?.shape, OUT?.data]).toEqual([[1, 2], new Float32Array([3, 4])])
  const [pid, parent] = values(await server.infer('m', input(), doing('pid')))
  expect(pid).not.toBe(process.pid)
  expect(parent).toBe(process.pid)
  const { parameters } = await server.model('m').request({
    inputs: [{ name: 'IN', tensor: OUT as NonNullable<typeof OUT> }],
    parameters: { do: 'echo' },
  })
  expect(parameters).toEqual({ big: 7n })
  expect(server.statistics('m')).toMatchObject([{ inferenceCount: 3, executionCount: 3 }])
  expect(log.lines).toContain('loading m')
  await server.stop()
  const disposed = log.lines.filter((line) => line.startsWith('disposed'))
  expect(disposed).toEqual(['disposed m_0_0', 'disposed the model'])
})

test('requests run in batches', async () => {
  const { server } = await started(
    one('dynamic_batching { max_queue_delay_microseconds: 10000000 preferred_batch_size: 4 }'),
  )
  const answers = await Promise.all([1, 2, 3, 4].map((n) => server.infer('m', input(n, -n))))
  expect(answers.map(values)).toEqual([1, 2, 3, 4].map((n) => [n, -n]))
  expect(server.statistics('m')).toMatchObject([{ inferenceCount: 4, executionCount: 1 }])
})

test('errors come with their codes', async () => {
  const { server, log } = await started(one())
  const failed = (what: string) => server.infer('m', input(), doing(what))
  await expect(failed('throw')).rejects.toMatchObject({ code: 'INVALID_ARG', message: 'no such number' })
  await expect(failed('fail')).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'not there' })
  await expect(failed('wrongState')).rejects.toThrow("unable to add state 'STATE_OUT'")
  await expect(failed('askWrong')).rejects.toThrow("Request for unknown model: 'nowhere' is not found")
  await failed('twice')
  await log.line('answered request')
  await expect(failed('count')).rejects.toThrow('decoupled')
  await expect(server.infer('m', input())).resolves.toBeDefined()
})

test('a load that fails says why', async () => {
  const refused = started(one(parameter('do', 'refuse')))
  await expect(refused).rejects.toThrow("failed to load all models\n'm': line 3")
})

test('a decoupled model answers any number of times', async () => {
  const { server } = await started(one('model_transaction_policy { decoupled: true }'))
  const responses: unknown[] = []
  for await (const outputs of server.inferStream('m', input(5, 6), doing('count'))) responses.push(...values(outputs))
  expect(responses).toEqual([5, 5, 6, 6])
})

const state = `state { input_name: "STATE" output_name: "STATE_OUT" data_type: TYPE_FP32 dims: 2
  initial_state { data_type: TYPE_FP32 dims: 2 zero_data: true name: "zero" } }`

test('the state of a sequence outlives the process', async () => {
  const { server, log } = await started(one(`sequence_batching { ${state} }`))
  const send = (n: number, more = {}) => server.infer('m', input(n, n), { correlationId: 1, ...doing('sum'), ...more })
  expect(values(await send(1, { sequenceStart: true }))).toEqual([1, 1])
  expect(values(await send(2))).toEqual([3, 3])
  await expect(server.infer('m', input(), { correlationId: 1, ...doing('exit') })).rejects.toThrow(
    'ended with exit code 3',
  )
  await log.line('restarting')
  await expect.poll(() => server.isReady()).toBe(true)
  expect(values(await send(3, { sequenceEnd: true }))).toEqual([6, 6])
})

test('a request of an iterative sequence is run again', async () => {
  const iterative = `sequence_batching { iterative_sequence: true ${state} } model_transaction_policy { decoupled: true }`
  const { server } = await started(one(iterative))
  const responses: unknown[] = []
  for await (const outputs of server.inferStream('m', input(), doing('again'))) responses.push(values(outputs)[0])
  expect(responses).toEqual([1, 2, 3])
})

test('a caller that gives up is heard', async () => {
  const { server, log } = await started(one())
  const caller = new AbortController()
  const waiting = server.infer('m', input(), { ...doing('wait'), signal: caller.signal })
  await log.line('waiting')
  caller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(await log.line('cancelled')).toBe('cancelled: true')
})

test('what a model measures and counts is its own', async () => {
  const { server } = await started(one(`${parameter('do', 'measure')} ${parameter('run', 'measured')}`))
  await server.infer('m', input())
  await expect
    .poll(() => server.statistics('m'))
    .toMatchObject([
      {
        executionCount: 1,
        inferenceStats: { success: { count: 1 }, computeInfer: { count: 1, ns: 2_000_000 } },
        memoryUsage: [{ type: 'CPU', id: 0, byteSize: 1001 }],
      },
    ])
  expect(server.metrics()).toContain('test_runs{model="m"} 1')
})

test('a model completes its configuration, and is asked whether it is ready', async () => {
  const { server } = await started({
    'c/config.pbtxt': config(parameter('do', 'complete')).replace('max_batch_size: 4', ''),
    'c/1/': '',
    'u/config.pbtxt': config(parameter('do', 'unready')),
    'u/1/': '',
  })
  expect(server.model('c').config.maxBatchSize).toBe(8)
  expect(await server.model('c').isReady()).toBe(true)
  expect(await server.model('u').isReady()).toBe(false)
})

test('custom batching is not to be had', async () => {
  const { server, log } = await started(one(`dynamic_batching {} ${parameter('do', 'choose')}`))
  expect(log.lines).toContain(
    "model 'm' has a say in batching, which it cannot have in a process of its own: every request may join",
  )
  await server.infer('m', input())
})

import { manualBackend, type RepositoryFiles, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import type { Backend, ExecutionRequest } from '../backend.ts'
import { config, manual, repository } from '../fixtures/server-rig.ts'
import { type Logger, Server, type ServerOptions, TritonError, tensor } from '../index.ts'

const warmUp = (inputs: string, more = 'batch_size: 1'): string => `model_warmup [ { name: "s" ${more} ${inputs} } ]`

const entry = (name: string, value: string): string => `inputs { key: "${name}" value: { ${value} } }`

const zeros = entry('IN', 'data_type: TYPE_FP32 dims: 2 zero_data: true')

interface Seen {
  readonly instance: string
  readonly requests: readonly ExecutionRequest[]
}

/** Answers with the input and remembers what it ran. */
function watched(seen: Seen[], fail?: (request: ExecutionRequest) => TritonError | undefined): Backend {
  return {
    name: 'identity',
    createModel: async () => ({
      createInstance: async ({ name }) => ({
        execute(requests) {
          seen.push({ instance: name, requests })
          for (const request of requests) {
            const error = fail?.(request)
            if (error === undefined) request.respond({ outputs: {} })
            else request.fail(error)
          }
        },
        async dispose() {},
      }),
      async dispose() {},
    }),
  }
}

async function load(files: RepositoryFiles, options: ServerOptions = {}): Promise<{ server: Server; seen: Seen[] }> {
  const seen: Seen[] = []
  const { path } = await repository({ 'm/1/': '', ...files })
  const server = new Server({ modelRepository: path, backends: [watched(seen)], exitTimeout: 0, ...options })
  await server.start()
  return { server, seen }
}

/** The error of the version, behind those of the load and of the start. */
const rootOf = (error: TritonError): unknown => (error.cause as TritonError).cause

const failure = (files: RepositoryFiles, options?: ServerOptions): Promise<unknown> =>
  load(files, options).then(() => undefined, rootOf)

const values = (seen: Seen[], name: string): unknown[] =>
  seen.map(({ requests }) => [...(requests[0]?.inputs.get(name)?.data ?? [])])

describe('samples', () => {
  test('run in order on every instance before the model is ready, and are counted as any inference', async () => {
    const group = 'instance_group { kind: KIND_CPU count: 2 }'
    const samples = `model_warmup [
      { name: "once" batch_size: 1 ${zeros} },
      { name: "twice" batch_size: 3 count: 2 ${zeros} },
      { name: "never" batch_size: 0 ${zeros} } ]`
    const { server, seen } = await load({ 'm/config.pbtxt': config(`${group} ${samples}`) })
    for (const name of ['m_0_0', 'm_0_1']) {
      const sizes = seen.filter(({ instance }) => instance === name).map(({ requests }) => requests.length)
      expect(sizes).toEqual([1, 3, 3])
    }
    expect(seen[0]?.requests[0]).toMatchObject({ id: '', batchSize: 1, requestedOutputs: ['OUT'], isCancelled: false })
    const [statistics] = server.statistics('m')
    expect(statistics).toMatchObject({ inferenceCount: 14, executionCount: 6 })
    expect(statistics?.inferenceStats.success.count).toBe(14)
    expect(statistics?.batchStats.map(({ batchSize, computeInfer }) => [batchSize, computeInfer.count])).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect(server.metrics()).toContain('nv_inference_pending_request_count{model="m",version="1"} 0')
  })

  test('a passive instance runs none', async () => {
    const groups =
      'instance_group [ { kind: KIND_CPU count: 1 }, { name: "spare" kind: KIND_CPU count: 1 passive: true } ]'
    const { seen } = await load({ 'm/config.pbtxt': config(`${groups} ${warmUp(zeros)}`) })
    expect(seen.map(({ instance }) => instance)).toEqual(['m_0_0'])
  })

  test('are not read where no instance runs them', async () => {
    const group = 'instance_group { kind: KIND_CPU count: 1 passive: true }'
    const missing = entry('IN', 'data_type: TYPE_FP32 dims: 2 input_data_file: "missing"')
    const { server, seen } = await load({ 'm/config.pbtxt': config(`${group} ${warmUp(missing)}`) })
    expect(server.state).toBe('ready')
    expect(seen).toEqual([])
  })

  test('each run is logged', async () => {
    const group = 'instance_group { kind: KIND_CPU count: 1 }'
    const texts: string[] = []
    const log = (_: object, text: string): void => void texts.push(text)
    const logger: Logger = { debug: log, info() {}, warn: log, error: log }
    await load(
      { 'm/config.pbtxt': config(`${group} ${warmUp(zeros, 'batch_size: 1 count: 2')}`) },
      { logger, logVerbose: 1 },
    )
    expect(texts.filter((text) => text.includes('warmup'))).toEqual([
      "model 'm' instance m_0_0 is running warmup sample 's' for iteration 1",
      "model 'm' instance m_0_0 is running warmup sample 's' for iteration 2",
    ])
  })
})

describe('data', () => {
  const model = (
    type: string,
    dims: string,
    sample: string,
    more = '',
  ): string => `backend: "identity" max_batch_size: 2
    input { name: "IN" data_type: ${type} dims: ${dims} } output { name: "OUT" data_type: ${type} dims: ${dims} } ${more}
    ${warmUp(sample)}`

  test('zeros and random bytes have the shape of the sample, with the batch dimension', async () => {
    const zero = entry('IN', 'data_type: TYPE_INT16 dims: [ 2, 4 ] zero_data: true')
    const { seen: seenZeros } = await load({ 'm/config.pbtxt': model('TYPE_INT16', '[ -1, 4 ]', zero) })
    expect(seenZeros[0]?.requests[0]?.inputs.get('IN')).toMatchObject({ shape: [1, 2, 4], data: new Int16Array(8) })
    const random = entry('IN', 'data_type: TYPE_UINT8 dims: [ 64, 4 ] random_data: true')
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_UINT8', '[ -1, 4 ]', random) })
    const input = seen[0]?.requests[0]?.inputs.get('IN')
    expect(input?.shape).toEqual([1, 64, 4])
    expect(new Set(input?.data as Uint8Array).size).toBeGreaterThan(32)
  })

  test('zero_data: false is zeros too', async () => {
    const sample = entry('IN', 'data_type: TYPE_FP32 dims: 2 zero_data: false')
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_FP32', '2', sample) })
    expect(values(seen, 'IN')).toEqual([[0, 0]])
  })

  test('random booleans are 0 or 1', async () => {
    const random = entry('IN', 'data_type: TYPE_BOOL dims: 64 random_data: true')
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_BOOL', '64', random) })
    expect([...new Set(seen[0]?.requests[0]?.inputs.get('IN')?.data as Uint8Array)].sort()).toEqual([0, 1])
  })

  test.each(['zero_data', 'random_data'])('%s of strings is empty strings', async (kind) => {
    const sample = entry('IN', `data_type: TYPE_STRING dims: 3 ${kind}: true`)
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_STRING', '3', sample) })
    expect(seen[0]?.requests[0]?.inputs.get('IN')?.strings()).toEqual(['', '', ''])
  })

  test('a file may be longer than needed', async () => {
    const sample = entry('IN', 'data_type: TYPE_INT32 dims: 2 input_data_file: "raw"')
    const data = new Uint8Array(new Int32Array([7, 8, 9]).buffer)
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_INT32', '2', sample), 'm/warmup/raw': data })
    expect(values(seen, 'IN')).toEqual([[7, 8]])
  })

  test('a file of strings holds them with their lengths', async () => {
    const sample = entry('IN', 'data_type: TYPE_STRING dims: 1 input_data_file: "raw"')
    const data = new Uint8Array([3, 0, 0, 0, 50, 51, 51])
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_STRING', '1', sample), 'm/warmup/raw': data })
    expect(seen[0]?.requests[0]?.inputs.get('IN')?.strings()).toEqual(['233'])
  })

  test('reshape is applied as for any request', async () => {
    const sample = entry('IN', 'data_type: TYPE_FP32 dims: 1 zero_data: true')
    const text = model('TYPE_FP32', '1', sample).replace('dims: 1 }', 'dims: 1 reshape { shape: [ ] } }')
    const { seen } = await load({ 'm/config.pbtxt': text })
    expect(seen[0]?.requests[0]?.inputs.get('IN')?.shape).toEqual([1])
  })

  test('controls of a sequence model are set by the sample', async () => {
    const control = (name: string, kind: string) =>
      `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} int32_false_true: [ 0, 1 ] } }`
    const more = `sequence_batching { ${control('START', 'START')} ${control('READY', 'READY')} }`
    const sample = ['IN', 'START', 'READY']
      .map((name) => entry(name, 'data_type: TYPE_INT32 dims: 1 zero_data: true'))
      .join(' ')
    const { seen } = await load({ 'm/config.pbtxt': model('TYPE_INT32', '1', sample, more) })
    const inputs = seen[0]?.requests[0]?.inputs
    expect([...(inputs?.keys() ?? [])].sort()).toEqual(['IN', 'READY', 'START'])
    expect(inputs?.get('START')?.shape).toEqual([1, 1])
  })
})

describe('a load fails', () => {
  const text = (sample: string) => ({ 'm/config.pbtxt': config(warmUp(sample)) })
  const input = (value: string) => text(entry('IN', `data_type: TYPE_FP32 ${value}`))
  const cases: [string, RepositoryFiles, string, string][] = [
    [
      'with a dimension that is not fixed',
      input('dims: -1 zero_data: true'),
      'INVALID_ARG',
      "warmup setting expects all variable-size dimensions are specified for input 'IN'",
    ],
    [
      'without data',
      input('dims: 2'),
      'INVALID_ARG',
      "[request id: <id_unknown>] warmup setting expects input 'IN' to have input_data_type set",
    ],
    [
      'with a file that is too short',
      { ...input('dims: 2 input_data_file: "raw"'), 'm/warmup/raw': new Uint8Array(3) },
      'INVALID_ARG',
      '[request id: <id_unknown>] warmup setting expects 8 bytes, but the data provided from rawonly has 3 bytes',
    ],
    [
      'with a file outside',
      input('dims: 2 input_data_file: "../config.pbtxt"'),
      'UNSUPPORTED',
      'outside directory warmup',
    ],
    ['without the file', input('dims: 2 input_data_file: "raw"'), 'INTERNAL', 'failed to open text file for read'],
    [
      'with another type than the model has',
      text(entry('IN', 'data_type: TYPE_INT32 dims: 2 zero_data: true')),
      'INVALID_ARG',
      "inference input 'IN' data-type is 'INT32', but model 'm' expects 'FP32'",
    ],
    [
      'with an input missing',
      text(entry('START', 'data_type: TYPE_FP32 dims: 2 zero_data: true')),
      'INVALID_ARG',
      "expected 1 inputs but got 0 inputs for model 'm'",
    ],
    [
      'with more than there can be',
      input('dims: [ 9007199254740991, 9007199254740991 ] zero_data: true'),
      'INVALID_ARG',
      "byte size for tensor 'IN' exceeds maximum size of",
    ],
    [
      'with a batch beyond all reason',
      { 'm/config.pbtxt': config(warmUp(zeros, 'batch_size: 4000000000')) },
      'INVALID_ARG',
      "warmup sample 's' has batch size 4000000000, the largest is 65536",
    ],
  ]
  test.each(cases)('%s', async (_, files, code, message) => {
    const error = await failure(files)
    expect(error).toMatchObject({ code })
    expect((error as TritonError).message).toContain(message)
  })

  test('when a request of a sample fails, and gives back what was made', async () => {
    const backend = manualBackend()
    const { path } = await repository({ 'm/1/': '', 'm/config.pbtxt': manual(warmUp(zeros, 'batch_size: 2')) })
    const server = new Server({ modelRepository: path, backends: [backend] })
    const start = server.start()
    const { requests, finish } = await backend.next()
    for (const request of requests) request.fail(new TritonError('INTERNAL', 'An Error Occurred'))
    finish()
    const error = await start.catch(rootOf)
    expect(error).toMatchObject({
      code: 'INVALID_ARG',
      message: "failed to run warmup sample 's': An Error Occurred; An Error Occurred; ",
    })
    expect(backend.log).toEqual(['model m 1', 'instance m_0_0', 'dispose m_0_0', 'dispose m 1'])
  })

  test('when a model that is not decoupled does not send one response', async () => {
    const endings: ((request: ExecutionRequest) => void)[] = [
      (request) => request.respond({ outputs: {} }, { final: false }),
      (request) => request.end(),
    ]
    for (const end of endings) {
      const backend = manualBackend()
      const pending = failure({ 'm/config.pbtxt': manual(warmUp(zeros)) }, { backends: [backend] })
      const { requests, fail } = await backend.next()
      expect(() => end(requests[0] as ExecutionRequest)).toThrow('is not decoupled and must send one final response')
      fail(new Error('no'))
      expect(await pending).toMatchObject({ code: 'INVALID_ARG' })
    }
  })

  test('when the backend throws, or forgets a request', async () => {
    const throwing = watched([], () => {
      throw new Error('no')
    })
    const files = { 'm/config.pbtxt': config(warmUp(zeros)) }
    expect(await failure(files, { backends: [throwing] })).toMatchObject({
      message: "failed to run warmup sample 's': no; ",
    })
    const backend = manualBackend()
    const pending = failure({ 'm/config.pbtxt': manual(warmUp(zeros)) }, { backends: [backend] })
    const { finish } = await backend.next()
    finish()
    expect(((await pending) as TritonError).message).toContain('returned without answering the request')
  })
})

test('a decoupled model may send any number of responses, also after execute returned', async () => {
  const backend = manualBackend()
  const clock = virtualClock()
  const decoupled = 'model_transaction_policy { decoupled: true }'
  const { path } = await repository({ 'm/1/': '', 'm/config.pbtxt': manual(`${decoupled} ${warmUp(zeros)}`) })
  const server = new Server({ modelRepository: path, backends: [backend], clock })
  const start = server.start()
  const { requests, finish } = await backend.next()
  const [request] = requests
  request?.keep()
  finish()
  await clock.advance(2)
  const outputs = { OUT: tensor('FP32', [1, 2], new Float32Array(2)) }
  request?.respond({ outputs }, { final: false })
  await clock.advance(3)
  expect(await server.isReady()).toBe(false)
  request?.end()
  await start
  expect(await server.isReady()).toBe(true)
  const [statistics] = server.statistics('m')
  expect(statistics).toMatchObject({ inferenceCount: 1, executionCount: 1, lastInference: 5 })
  expect(statistics?.responseStats['0']?.success).toEqual({ count: 1, ns: 2e6 })
  expect(() => request?.end()).toThrow('answered before')
  await server.stop()
})

test('a load that is given up tells the backend and waits for it', async () => {
  const backend = manualBackend()
  const { path } = await repository({ 'm/1/': '', 'm/config.pbtxt': manual(warmUp(zeros, 'batch_size: 2 count: 9')) })
  const server = new Server({ modelRepository: path, backends: [backend], modelControl: 'explicit' })
  await server.start()
  const caller = new AbortController()
  const loading = server.load('m', { signal: caller.signal })
  const { requests, finish } = await backend.next()
  const told = requests.map(({ signal }) => signal)
  caller.abort()
  expect(requests[0]?.isCancelled).toBe(true)
  expect(told.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(new Set(told).size).toBe(2)
  expect(backend.log).toEqual(['model m 1', 'instance m_0_0'])
  for (const request of requests) request.respond({ outputs: {} })
  finish()
  await expect(loading).rejects.toMatchObject({ code: 'CANCELLED' })
  await server.stop()
  expect(backend.log.slice(2)).toEqual(['dispose m_0_0', 'dispose m 1'])
})

test('the scheduler and its limits do not see warm-up', async () => {
  const limited = `dynamic_batching { max_queue_delay_microseconds: 1000000 default_queue_policy { max_queue_size: 1 } }`
  const { seen } = await load(
    { 'm/config.pbtxt': config(`${limited} ${warmUp(zeros, 'batch_size: 4 count: 2')}`) },
    { clock: virtualClock() },
  )
  expect(seen.map(({ requests }) => requests.length)).toEqual([4, 4])
})

import { join } from 'node:path'
import { type Tensor, tensor } from '@triton-ts/core'
import { modelRepository, onnxModel } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { ExitGuard } from './exit-guard.ts'
import type { Feed } from './onnx-executor.ts'
import type { SessionSpec } from './session-spec.ts'
import { sessionSpecFor } from './test-support.ts'
import { WorkerExecutor } from './worker-executor.ts'

const info = (name: string) => ({ name, datatype: 'FP32' as const, shape: ['n', 4] })

const addSub = onnxModel({
  inputs: [info('A'), info('B')],
  outputs: [info('SUM'), info('DIFFERENCE')],
  nodes: [
    { op: 'Add', inputs: ['A', 'B'], outputs: ['SUM'] },
    { op: 'Sub', inputs: ['A', 'B'], outputs: ['DIFFERENCE'] },
  ],
})

const feed = (name: string, { datatype, shape, bytes }: Tensor): Feed => ({ name, datatype, shape, parts: [bytes] })
const row = (...values: number[]) => tensor('FP32', [1, 4], Float32Array.from(values))
const valuesOf = (value: Tensor | undefined) => Array.from((value as Tensor).data as Float32Array)
const noAbort = () => new AbortController().signal

async function withExecutor(
  model: Uint8Array,
  use: (executor: WorkerExecutor) => Promise<void>,
  fields: Partial<SessionSpec> = {},
): Promise<void> {
  await using repository = await modelRepository({ 'model.onnx': model })
  const guard = new ExitGuard()
  const executor = await WorkerExecutor.open(
    sessionSpecFor(join(repository.path, 'model.onnx'), fields),
    noAbort(),
    guard,
  )
  try {
    await use(executor)
  } finally {
    await executor.dispose()
  }
  expect(executor.isAlive).toBe(false)
}

async function failureOf(model: string | Uint8Array, fields: Partial<SessionSpec> = {}): Promise<unknown> {
  await using repository = await modelRepository({ 'model.onnx': model })
  const spec = sessionSpecFor(join(repository.path, 'model.onnx'), fields)
  return await WorkerExecutor.open(spec, noAbort(), new ExitGuard()).then(
    (executor) => executor.dispose(),
    (error: unknown) => error,
  )
}

describe('running', () => {
  test('answers with the named outputs in their order', () =>
    withExecutor(addSub, async (executor) => {
      expect(executor.signature).toMatchObject({
        inputs: [
          { name: 'A', datatype: 'FP32', shape: [-1, 4] },
          { name: 'B', datatype: 'FP32', shape: [-1, 4] },
        ],
        outputs: [{ name: 'SUM' }, { name: 'DIFFERENCE' }],
      })
      const feeds = [feed('A', row(1, 2, 3, 4)), feed('B', row(1, 1, 1, 1))]
      const [difference, sum] = await executor.run(feeds, ['DIFFERENCE', 'SUM'])
      expect(difference).toMatchObject({ datatype: 'FP32', shape: [1, 4] })
      expect(valuesOf(sum)).toEqual([2, 3, 4, 5])
      expect(valuesOf(difference)).toEqual([0, 1, 2, 3])
      expect(await executor.run(feeds, ['SUM'])).toHaveLength(1)
    }))

  test('many runs one after the other, of changing sizes', () =>
    withExecutor(addSub, async (executor) => {
      for (let count = 0; count < 200; count++) {
        const size = (count % 7) * 4
        const values = tensor(
          'FP32',
          [count % 7, 4],
          Float32Array.from({ length: size }, (_, index) => index + count),
        )
        const [sum] = await executor.run([feed('A', values), feed('B', values)], ['SUM'])
        expect(sum?.shape).toEqual([count % 7, 4])
        expect(valuesOf(sum)).toEqual([...values.data].map((value) => value * 2))
      }
    }))

  test("the caller's memory is left alone, at any offset, and earlier outputs stay", () =>
    withExecutor(addSub, async (executor) => {
      const memory = new Uint8Array(19)
      memory.set(row(1, 2, 3, 4).bytes, 3)
      const unaligned: Feed = { name: 'A', datatype: 'FP32', shape: [1, 4], parts: [memory.subarray(3)] }
      const shared = new Uint8Array(new SharedArrayBuffer(16))
      shared.set(row(1, 1, 1, 1).bytes)
      const before = [...memory]
      const [first] = await executor.run([unaligned, { ...unaligned, name: 'B', parts: [shared] }], ['SUM'])
      const [second] = await executor.run([unaligned, feed('B', row(9, 9, 9, 9))], ['SUM'])
      expect([...memory]).toEqual(before)
      expect(valuesOf(first)).toEqual([2, 3, 4, 5])
      expect(valuesOf(second)).toEqual([10, 11, 12, 13])
    }))

  test('a failed run is an error with the code of ONNX Runtime, and the next run works', () =>
    withExecutor(addSub, async (executor) => {
      const wrong = { ...feed('A', row(1, 2, 3, 4)), shape: [2, 2] }
      await expect(executor.run([wrong, feed('B', row(1, 1, 1, 1))], ['SUM'])).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringMatching(/^onnx runtime error 2: Got invalid dimensions for input: A/),
      })
      await expect(executor.run([feed('A', row(1, 2, 3, 4))], ['SUM'])).rejects.toThrow(
        'onnx runtime error 6: Missing Input: B',
      )
      expect(await executor.run([feed('A', row(1, 2, 3, 4)), feed('B', row(1, 1, 1, 1))], ['SUM'])).toHaveLength(1)
    }))

  test('disposing waits for the run', () =>
    withExecutor(addSub, async (executor) => {
      const running = executor.run([feed('A', row(1, 2, 3, 4)), feed('B', row(1, 1, 1, 1))], ['SUM'])
      await executor.dispose()
      expect(await running).toHaveLength(1)
      await expect(executor.run([], ['SUM'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    }))

  test('session entries reach ONNX Runtime', async () => {
    expect(await failureOf(addSub, { entries: { 'session.load_model_format': 'ORT' } })).toMatchObject({
      code: 'INTERNAL',
    })
    await withExecutor(addSub, async (executor) => expect(executor.isAlive).toBe(true), {
      entries: { 'session.set_denormal_as_zero': '1' },
      memoryArena: false,
      memoryPattern: false,
      executionMode: 'parallel',
      interOpThreads: 2,
      graphOptimizationLevel: 'disabled',
    })
  })
})

describe('opening', () => {
  test('a file that is no model', async () => {
    expect(await failureOf('this is not an onnx file')).toMatchObject({
      code: 'INTERNAL',
      message: expect.stringMatching(
        /^onnx runtime error 7: Load model from .*model\.onnx failed:Protobuf parsing failed\.$/,
      ),
    })
    expect(await failureOf('')).toMatchObject({
      message: expect.stringMatching(/^onnx runtime error 1: .*does not have a graph/),
    })
  })

  test('an operator that does not exist', async () => {
    const model = onnxModel({
      inputs: [info('A')],
      outputs: [info('B')],
      nodes: [{ op: 'NoSuchOperator', inputs: ['A'], outputs: ['B'] }],
    })
    expect(await failureOf(model)).toMatchObject({
      message: expect.stringMatching(/^onnx runtime error \d+: .*NoSuchOperator/),
    })
  })

  test('element types beyond ONNX Runtime for Node', async () => {
    const model = onnxModel({
      inputs: [{ name: 'A', datatype: 'BF16', shape: [1] }],
      outputs: [{ name: 'B', datatype: 'BF16', shape: [1] }],
      nodes: [{ op: 'Identity', inputs: ['A'], outputs: ['B'] }],
    })
    expect(await failureOf(model)).toMatchObject({
      code: 'UNSUPPORTED',
      message: 'onnxruntime-node does not support BF16 inputs and outputs',
    })
  })

  test('sequences inside the model are fine', async () => {
    const sequence = onnxModel({
      inputs: [info('A')],
      outputs: [info('B')],
      nodes: [
        { op: 'SequenceConstruct', inputs: ['A'], outputs: ['s'] },
        { op: 'SequenceAt', inputs: ['s', 'zero'], outputs: ['B'] },
      ],
      initializers: { zero: tensor('INT64', [], BigInt64Array.of(0n)) },
    })
    await withExecutor(sequence, async (executor) => expect(executor.signature.outputs).toHaveLength(1))
  })

  test('an accelerator that is not there', async () => {
    expect(await failureOf(addSub, { providers: [{ name: 'openvino' }] })).toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining("unknown Execution Accelerator 'openvino' is requested"),
    })
  })

  test('a signal gives it up', async () => {
    await using repository = await modelRepository({ 'model.onnx': addSub })
    const spec = sessionSpecFor(join(repository.path, 'model.onnx'))
    const reason = new Error('enough')
    await expect(WorkerExecutor.open(spec, AbortSignal.abort(reason), new ExitGuard())).rejects.toBe(reason)
    const controller = new AbortController()
    const opening = WorkerExecutor.open(spec, controller.signal, new ExitGuard())
    controller.abort(reason)
    await expect(opening).rejects.toBe(reason)
  })
})

describe('a worker that ends by itself', () => {
  const worker = (onRun: string) =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { workerData } from 'node:worker_threads'
        const { port } = workerData
        const signature = { inputs: [], outputs: [], initializers: [], initializerNames: [] }
        port.postMessage({ kind: 'opened', signature })
        port.on('message', (message) => { if (message.kind === 'close') port.close(); else { ${onRun} } })`)}`,
    )
  const open = (url: URL) => WorkerExecutor.open(sessionSpecFor(''), noAbort(), new ExitGuard(), url)

  test.each([
    ['process.exit(3)', 'the ONNX Runtime worker ended unexpectedly: exit code 3'],
    ["throw new Error('broken')", 'the ONNX Runtime worker ended unexpectedly: broken'],
  ])('%s fails its run', async (onRun, message) => {
    const executor = await open(worker(onRun))
    await expect(executor.run([], [])).rejects.toMatchObject({ code: 'INTERNAL', message })
    expect(executor.isAlive).toBe(false)
    await expect(executor.run([], [])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await executor.dispose()
  })

  test('while it opens', async () => {
    const url = new URL('data:text/javascript,process.exit(4)')
    await expect(open(url)).rejects.toThrow('the ONNX Runtime worker ended unexpectedly: exit code 4')
  })
})

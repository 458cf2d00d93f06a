import { Tensor, tensor } from '@triton-ts/core'
import { expect, test } from 'vitest'
import type { OnnxExecutor } from './onnx-executor.ts'
import { OnnxInstance } from './onnx-instance.ts'
import { inputConfig, modelConfig, noMarks, outputConfig, TestRequest } from './test-support.ts'

const config = modelConfig({
  maxBatchSize: 8,
  input: [inputConfig('A', 'TYPE_FP32', [1])],
  output: [outputConfig('Z', 'TYPE_FP32', [1]), outputConfig('B', 'TYPE_FP32', [1])],
})

/** Answers every output with the bytes of the first feed. */
class EchoExecutor implements OnnxExecutor {
  readonly signature = { inputs: [], outputs: [], initializers: [], initializerNames: [] }
  isAlive = true
  disposed = 0
  readonly runs: { feeds: Parameters<OnnxExecutor['run']>[0]; outputs: readonly string[] }[] = []
  failure: Error | undefined

  async run(feeds: Parameters<OnnxExecutor['run']>[0], outputs: readonly string[]): Promise<readonly Tensor[]> {
    this.runs.push({ feeds, outputs })
    if (this.failure !== undefined) {
      this.isAlive = false
      throw this.failure
    }
    const [{ datatype, shape, parts }] = feeds as [(typeof feeds)[number]]
    return outputs.map(() => Tensor.fromBytes(datatype, shape, Buffer.concat(parts)))
  }

  async dispose(): Promise<void> {
    this.disposed++
  }
}

const request = (outputs: string[], ...values: number[]) =>
  new TestRequest({ A: tensor('FP32', [values.length, 1], Float32Array.from(values)) }, outputs, values.length)

const unreachable = () => Promise.reject(new Error('not expected'))

const valuesOf = (value: Tensor | undefined) => Array.from((value as Tensor).data as Float32Array)

test('requests run together, and each gets its rows of the outputs it asked for, by name', async () => {
  const executor = new EchoExecutor()
  const instance = new OnnxInstance(config, executor, unreachable)
  const requests = [request(['Z', 'B'], 1, 2), request(['B'], 3)]
  const marks: string[] = []
  await instance.execute(requests, {
    ...noMarks,
    computeStart: () => marks.push('start'),
    computeEnd: () => marks.push('end'),
  })
  expect(executor.runs).toHaveLength(1)
  expect(executor.runs[0]).toMatchObject({ feeds: [{ name: 'A', shape: [3, 1] }], outputs: ['B', 'Z'] })
  expect(marks).toEqual(['start', 'end'])
  expect(Object.keys(requests[0]?.outputs ?? {})).toEqual(['B', 'Z'])
  expect(valuesOf(requests[0]?.outputs.Z)).toEqual([1, 2])
  expect(requests[0]?.outputs.Z?.shape).toEqual([2, 1])
  expect(Object.keys(requests[1]?.outputs ?? {})).toEqual(['B'])
  expect(valuesOf(requests[1]?.outputs.B)).toEqual([3])
  await instance.dispose()
  expect(executor.disposed).toBe(1)
})

test('only outputs that somebody wants are computed', async () => {
  const executor = new EchoExecutor()
  await new OnnxInstance(config, executor, unreachable).execute([request(['B'], 1)], noMarks)
  expect(executor.runs[0]?.outputs).toEqual(['B'])
})

test('a batch that is too large is refused', async () => {
  const instance = new OnnxInstance(config, new EchoExecutor(), unreachable)
  await expect(instance.execute([request(['B'], 1, 2, 3, 4, 5), request(['B'], 1, 2, 3, 4)], noMarks)).rejects.toThrow(
    "batch size 9 for 'm', max allowed is 8",
  )
  const single = new OnnxInstance(modelConfig({ output: config.output }), new EchoExecutor(), unreachable)
  await expect(single.execute([request(['B'], 1), request(['B'], 1)], noMarks)).rejects.toThrow(
    "batch size 2 for 'm', max allowed is 0",
  )
})

test('a request whose rows the model lost fails, the others do not', async () => {
  const executor = new EchoExecutor()
  executor.run = async () => [tensor('FP32', [2, 1], Float32Array.of(1, 2))]
  const requests = [request(['B'], 1), request(['B'], 2, 3)]
  await new OnnxInstance(config, executor, unreachable).execute(requests, noMarks)
  expect(valuesOf(requests[0]?.outputs.B)).toEqual([1])
  expect(requests[1]?.error?.message).toContain(
    "failed to split the output tensor 'B' in responses: expected batch size of at least 3 in model output, got 2",
  )
})

test('rows beyond those of the batch are left out', async () => {
  const executor = new EchoExecutor()
  const instance = new OnnxInstance(config, executor, unreachable)
  executor.run = async () => [tensor('FP32', [4, 1], Float32Array.of(1, 2, 3, 4))]
  const numbers = [request(['B'], 7, 8), request(['B'], 9)]
  await instance.execute(numbers, noMarks)
  expect(numbers.map(({ outputs }) => valuesOf(outputs.B))).toEqual([[1, 2], [3]])
  executor.run = async () => [tensor('BYTES', [3, 1], ['a', 'b', 'c'])]
  const strings = request(['B'], 7, 8)
  await instance.execute([strings], noMarks)
  expect(strings.outputs.B).toMatchObject({ shape: [2, 1], data: ['a', 'b'] })
})

test('ragged inputs are joined flat', async () => {
  const ragged = modelConfig({ ...config, input: [inputConfig('A', 'TYPE_FP32', [-1], { allowRaggedBatch: true })] })
  const executor = new EchoExecutor()
  executor.run = async (feeds, outputs) => {
    executor.runs.push({ feeds, outputs })
    return [tensor('FP32', [2, 1], new Float32Array(2))]
  }
  const requests = [3, 2].map(
    (length) => new TestRequest({ A: tensor('FP32', [1, length], new Float32Array(length)) }, ['B'], 1),
  )
  await new OnnxInstance(ragged, executor, unreachable).execute(requests, noMarks)
  expect(executor.runs[0]?.feeds[0]?.shape).toEqual([5])
})

test('an executor that died is replaced', async () => {
  const first = new EchoExecutor()
  const second = new EchoExecutor()
  first.failure = new Error('died')
  const instance = new OnnxInstance(config, first, async () => second)
  await expect(instance.execute([request(['B'], 1)], noMarks)).rejects.toThrow('died')
  const next = request(['B'], 7)
  await instance.execute([next], noMarks)
  expect(valuesOf(next.outputs.B)).toEqual([7])
  expect(await instance.isReady()).toBe(true)
  await instance.dispose()
  expect(second.disposed).toBe(1)
})

test('without a replacement the instance is not ready, and tries again with the next batch', async () => {
  const executor = new EchoExecutor()
  executor.failure = new Error('died')
  let attempts = 0
  const instance = new OnnxInstance(config, executor, async () => {
    attempts++
    throw new Error('no memory')
  })
  await expect(instance.execute([request(['B'], 1)], noMarks)).rejects.toThrow('died')
  expect(await instance.isReady()).toBe(false)
  await expect(instance.execute([request(['B'], 1)], noMarks)).rejects.toThrow('no memory')
  expect(attempts).toBeGreaterThan(0)
  await instance.dispose()
})

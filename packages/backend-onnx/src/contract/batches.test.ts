import { setImmediate } from 'node:timers/promises'
import { Server, type Tensor, tensor } from '@triton-ts/core'
import { modelRepository, type OnnxModelSpec, onnxModel, virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onnx } from '../index.ts'
import { contract, type ExecutorKind } from './executors.ts'

interface Sent {
  /** Rows of the input. */
  readonly rows: readonly number[]
  readonly outputs?: readonly string[]
}

type Answer = Record<string, Tensor> | Error

/** Sends requests that run as one batch, and returns their answers and the number of executions. */
async function inOneBatch(kind: ExecutorKind, model: Uint8Array, sent: readonly Sent[]) {
  const config = `instance_group { kind: KIND_CPU count: 1 } max_batch_size: 8
    dynamic_batching { max_queue_delay_microseconds: 1000000 }`
  await using repository = await modelRepository({ 'm/1/model.onnx': model, 'm/config.pbtxt': config })
  const clock = virtualClock()
  const backends = [onnx({ executor: kind })]
  await using server = await Server.start({ modelRepository: repository.path, backends, clock })
  const answering = sent.map(({ rows, ...options }) =>
    server.infer('m', { IN: tensor('FP32', [rows.length, 1], Float32Array.from(rows)) }, options).then(
      (outputs): Answer => outputs,
      (error: Error): Answer => error,
    ),
  )
  await setImmediate()
  clock.advance(1000)
  const answers = await Promise.all(answering)
  return { answers, executions: server.statistics('m')[0]?.executionCount }
}

const values = (answer: Answer | undefined, name = 'OUT') => {
  if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer')
  return answer[name]?.datatype === 'BYTES' ? answer[name].strings() : [...((answer[name]?.data ?? []) as Float32Array)]
}

const column = (name: string) => ({ name, datatype: 'FP32', shape: ['n', 1] }) as const

/** Gives the rows that `nodes` make of IN, which need not be as many. */
const rowsOf = (spec: Pick<OnnxModelSpec, 'nodes' | 'initializers'>, datatype: 'FP32' | 'BYTES' = 'FP32') =>
  onnxModel({ inputs: [column('IN')], outputs: [{ name: 'OUT', datatype, shape: ['m', 1] }], ...spec })

const twoRows = {
  nodes: [{ op: 'Slice', inputs: ['IN', 'start', 'end'], outputs: ['OUT'] }],
  initializers: {
    start: tensor('INT64', [1], BigInt64Array.of(0n)),
    end: tensor('INT64', [1], BigInt64Array.of(2n)),
  },
}

contract((kind) => {
  test('each request gets its rows of the outputs it asked for, by name', async () => {
    const model = onnxModel({
      inputs: [column('IN')],
      outputs: [column('Z'), column('B')],
      nodes: [
        { op: 'Identity', inputs: ['IN'], outputs: ['Z'] },
        { op: 'Neg', inputs: ['IN'], outputs: ['B'] },
      ],
    })
    const { answers, executions } = await inOneBatch(kind, model, [{ rows: [1, 2] }, { rows: [3], outputs: ['B'] }])
    expect(executions).toBe(1)
    expect(answers.map((answer) => Object.keys(answer))).toEqual([['B', 'Z'], ['B']])
    expect([values(answers[0], 'Z'), values(answers[0], 'B')]).toEqual([
      [1, 2],
      [-1, -2],
    ])
    expect(values(answers[1], 'B')).toEqual([-3])
  })

  test('a run that fails fails all requests', async () => {
    const sevens = rowsOf({
      nodes: [
        { op: 'Reshape', inputs: ['IN', 'shape'], outputs: ['seven'] },
        { op: 'ReduceSum', inputs: ['seven', 'axis'], outputs: ['OUT'], attributes: { keepdims: 1 } },
      ],
      initializers: {
        shape: tensor('INT64', [2], BigInt64Array.of(-1n, 7n)),
        axis: tensor('INT64', [1], BigInt64Array.of(1n)),
      },
    })
    const { answers } = await inOneBatch(kind, sevens, [{ rows: [1] }, { rows: [2] }])
    for (const answer of answers) expect((answer as Error).message).toMatch(/^onnx runtime error 6: .* Reshape/)
  })

  test('a request whose rows the model lost fails, the others do not', async () => {
    const { answers } = await inOneBatch(kind, rowsOf(twoRows), [{ rows: [1] }, { rows: [2, 3] }])
    expect(values(answers[0])).toEqual([1])
    expect((answers[1] as Error).message).toContain(
      "failed to split the output tensor 'OUT' in responses: expected batch size of at least 3 in model output, got 2",
    )
  })

  test('rows beyond those of the batch are left out', async () => {
    const doubled = { nodes: [{ op: 'Concat', inputs: ['IN', 'IN'], outputs: ['OUT'], attributes: { axis: 0 } }] }
    const numbers = await inOneBatch(kind, rowsOf(doubled), [{ rows: [7, 8] }, { rows: [9] }])
    expect(numbers.answers.map((answer) => values(answer))).toEqual([[7, 8], [9]])
    const text = {
      nodes: [
        { op: 'Concat', inputs: ['IN', 'IN'], outputs: ['both'], attributes: { axis: 0 } },
        { op: 'Cast', inputs: ['both'], outputs: ['OUT'], attributes: { to: 8 } },
      ],
    }
    const strings = await inOneBatch(kind, rowsOf(text, 'BYTES'), [{ rows: [7, 8] }, { rows: [9] }])
    expect(strings.answers.map((answer) => values(answer))).toEqual([['7', '8'], ['9']])
  })

  test('a batch of many requests', async () => {
    const { answers, executions } = await inOneBatch(
      kind,
      rowsOf({ nodes: [{ op: 'Neg', inputs: ['IN'], outputs: ['OUT'] }] }),
      Array.from({ length: 8 }, (_, i) => ({ rows: [i] })),
    )
    expect(executions).toBe(1)
    expect(answers.map((answer) => values(answer))).toEqual(Array.from({ length: 8 }, (_, i) => [-i]))
  })
})

import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Server, type Tensor, tensor } from '@triton-ts/core'
import { modelRepository, type OnnxModelSpec, onnxModel, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { onnx } from '../index.ts'
import { contract, type ExecutorKind } from './executors.ts'

/** Sequences on real models: controls are inputs, states travel from one request of a sequence to the next. */

const recorded = fileURLToPath(new URL('../../../conformance/golden/repo/models', import.meta.url))

const values = (tensor: Tensor | undefined) => Array.from((tensor?.data ?? []) as ArrayLike<number | bigint>)

/** After so long without a request a sequence ends by itself. */
const idleMilliseconds = 1001

const withModel = async (
  kind: ExecutorKind,
  spec: OnnxModelSpec,
  config: string,
  use: (server: Server, advance: (milliseconds: number) => void) => Promise<void>,
) => {
  await using repository = await modelRepository({
    'm/1/model.onnx': onnxModel(spec),
    'm/config.pbtxt': `${config} instance_group { kind: KIND_CPU count: 1 }`,
  })
  const clock = virtualClock()
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [onnx({ executor: kind })],
    clock,
  })
  await use(server, (milliseconds) => clock.advance(milliseconds))
  clock.advance(idleMilliseconds)
}

const first = (correlationId: bigint) => ({ correlationId, sequenceStart: true })

/** OUT = what the sequence had so far, and READY tells whether anybody sent the item. */
const counting: OnnxModelSpec = {
  inputs: ['IN', 'PAST', 'READY'].map((name) => ({ name, datatype: 'INT32', shape: ['n', 1] })),
  outputs: ['OUT', 'NOW', 'ITEMS'].map((name) => ({ name, datatype: 'INT32', shape: ['n', 1] })),
  nodes: [
    { op: 'Add', inputs: ['IN', 'PAST'], outputs: ['NOW'] },
    { op: 'Identity', inputs: ['NOW'], outputs: ['OUT'] },
    { op: 'ReduceSum', inputs: ['READY'], outputs: ['ready'], attributes: { keepdims: 1 } },
    { op: 'Sub', inputs: ['IN', 'IN'], outputs: ['zeros'] },
    { op: 'Add', inputs: ['zeros', 'ready'], outputs: ['ITEMS'] },
  ],
}
const countingConfig = (strategy: string) => `max_batch_size: 2
  input { name: "IN" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUT" data_type: TYPE_INT32 dims: 1 } output { name: "ITEMS" data_type: TYPE_INT32 dims: 1 }
  sequence_batching { ${strategy}
    control_input { name: "READY" control { kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ] } }
    state { input_name: "PAST" output_name: "NOW" data_type: TYPE_INT32 dims: 1
      initial_state { name: "zero" data_type: TYPE_INT32 dims: 1 zero_data: true } } }`
const item = (value: number) => ({ IN: tensor('INT32', [1, 1], Int32Array.of(value)) })

contract((kind) => {
  describe('the recorded models', () => {
    const withRecorded = async (name: string, use: (server: Server) => Promise<void>) => {
      const options = { modelRepository: recorded, modelControl: 'explicit', loadModels: [name] } as const
      await using server = await Server.start({ ...options, backends: [onnx({ executor: kind })] })
      await use(server)
    }
    const item = (value: number) => ({ INPUT: tensor('INT32', [1, 1], Int32Array.of(value)) })

    test.each(['seq_direct', 'seq_oldest'])('%s adds up and shows the controls', (name) =>
      withRecorded(name, async (server) => {
        const steps = [
          { value: 10, flags: { sequenceStart: true }, sum: 10, shown: [1, 0, 1] },
          { value: 5, flags: {}, sum: 15, shown: [0, 0, 1] },
          { value: 2, flags: { sequenceEnd: true }, sum: 17, shown: [0, 1, 1] },
        ]
        for (const { value, flags, sum, shown } of steps) {
          const answer = await server.infer(name, item(value), { correlationId: 1001n, ...flags })
          expect(Object.keys(answer)).toEqual(['CORRID_OUT', 'FLAGS', 'OUTPUT'])
          expect(values(answer.OUTPUT)).toEqual([sum])
          expect(values(answer.FLAGS)).toEqual(shown)
          expect(values(answer.CORRID_OUT)).toEqual([1001n])
        }
        await expect(server.infer(name, item(2), { correlationId: 1001n })).rejects.toThrow(
          `inference request for sequence 1001 to model '${name}' must specify the START flag on the first request of the sequence`,
        )
      }),
    )

    test('seq_string has text as correlation ids', () =>
      withRecorded('seq_string', async (server) => {
        const first = await server.infer('seq_string', item(3), { correlationId: 'abc', sequenceStart: true })
        expect(first.CORRID_OUT?.strings()).toEqual(['abc'])
        const second = await server.infer('seq_string', item(4), { correlationId: 'abc', sequenceEnd: true })
        expect(values(second.OUTPUT)).toEqual([7])
      }))

    test('sequences of seq_oldest keep apart, whatever runs together', () =>
      withRecorded('seq_oldest', async (server) => {
        const ids = [1n, 2n, 3n, 4n, 5n, 6n]
        const sums = await Promise.all(
          ids.map(async (correlationId) => {
            const answers: number[] = []
            for (const step of [1, 2, 3]) {
              const flags = { sequenceStart: step === 1, sequenceEnd: step === 3 }
              const answer = await server.infer('seq_oldest', item(step * Number(correlationId)), {
                correlationId,
                ...flags,
              })
              answers.push(...(values(answer.OUTPUT) as number[]))
            }
            return answers
          }),
        )
        expect(sums).toEqual(ids.map(Number).map((id) => [id, id * 3, id * 6]))
      }))
  })

  test('a state may grow, and without batching it is the whole output', () =>
    withModel(
      kind,
      {
        inputs: ['IN', 'PAST'].map((name) => ({ name, datatype: 'FP32', shape: [`n_${name}`] })),
        outputs: [
          { name: 'SUM', datatype: 'FP32', shape: [1] },
          { name: 'NOW', datatype: 'FP32', shape: ['m'] },
        ],
        nodes: [
          { op: 'Concat', inputs: ['PAST', 'IN'], outputs: ['NOW'], attributes: { axis: 0 } },
          { op: 'ReduceSum', inputs: ['NOW'], outputs: ['SUM'], attributes: { keepdims: 1 } },
        ],
      },
      `input { name: "IN" data_type: TYPE_FP32 dims: -1 }
     output { name: "SUM" data_type: TYPE_FP32 dims: 1 }
     output { name: "NOW" data_type: TYPE_FP32 dims: -1 }
     sequence_batching {
       state { input_name: "PAST" output_name: "NOW" data_type: TYPE_FP32 dims: -1
         initial_state { name: "zero" data_type: TYPE_FP32 dims: 1 zero_data: true } }
     }`,
      async (server) => {
        const send = (flags: object, ...data: number[]) =>
          server.infer(
            'm',
            { IN: tensor('FP32', [data.length], Float32Array.from(data)) },
            { correlationId: 7n, ...flags },
          )
        const start = await send({ sequenceStart: true, outputs: ['SUM'] }, 1)
        expect(Object.keys(start)).toEqual(['SUM'])
        expect(values((await send({}, 2, 3)).NOW)).toEqual([0, 1, 2, 3])
        expect(values((await send({}, 4)).SUM)).toEqual([10])
        expect(values((await send({ sequenceStart: true }, 5)).NOW)).toEqual([0, 5])
      },
    ))

  test('a state may be text, which begins empty', () =>
    withModel(
      kind,
      {
        inputs: ['IN', 'BEFORE'].map((name) => ({ name, datatype: 'BYTES', shape: ['n', 1] })),
        outputs: ['OUT', 'NEXT'].map((name) => ({ name, datatype: 'BYTES', shape: ['n', 1] })),
        nodes: [
          { op: 'Identity', inputs: ['BEFORE'], outputs: ['OUT'] },
          { op: 'Identity', inputs: ['IN'], outputs: ['NEXT'] },
        ],
      },
      `max_batch_size: 4
     input { name: "IN" data_type: TYPE_STRING dims: 1 }
     output { name: "OUT" data_type: TYPE_STRING dims: 1 }
     sequence_batching { state { input_name: "BEFORE" output_name: "NEXT" data_type: TYPE_STRING dims: 1 } }`,
      async (server) => {
        const send = async (text: string, flags: object) =>
          (await server.infer('m', { IN: [[text]] }, { correlationId: 7n, ...flags })).OUT?.strings()
        expect(await send('one', { sequenceStart: true })).toEqual([''])
        expect(await send('two', {})).toEqual(['one'])
        expect(await send('three', {})).toEqual(['two'])
      },
    ))

  test('sequences that run as one batch each get their own row of the state', () =>
    withModel(
      kind,
      counting,
      countingConfig('oldest { max_candidate_sequences: 2 max_queue_delay_microseconds: 1000 }'),
      async (server, advance) => {
        const step = async (a: number, b: number, more: object) => {
          const sent = [server.infer('m', item(a), { correlationId: 1n, ...more })]
          sent.push(server.infer('m', item(b), { correlationId: 2n, ...more }))
          await setImmediate()
          advance(1)
          return Promise.all(sent)
        }
        await step(1, 10, { sequenceStart: true })
        const answers = await step(2, 20, {})
        expect(answers.map(({ OUT }) => values(OUT))).toEqual([[3], [30]])
        expect(answers.map(({ ITEMS }) => values(ITEMS))).toEqual([[2], [2]])
        expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 4, executionCount: 2 })
      },
    ))

  test('sequences whose states have grown apart run in turn, each with its own', () =>
    withModel(
      kind,
      {
        inputs: [
          { name: 'IN', datatype: 'INT32', shape: ['n', 1] },
          { name: 'PAST', datatype: 'INT32', shape: ['n', 'past'] },
        ],
        outputs: [
          { name: 'SUM', datatype: 'INT32', shape: ['n', 1] },
          { name: 'NOW', datatype: 'INT32', shape: ['n', 'now'] },
        ],
        nodes: [
          { op: 'Concat', inputs: ['PAST', 'IN'], outputs: ['NOW'], attributes: { axis: 1 } },
          { op: 'ReduceSum', inputs: ['NOW', 'axis'], outputs: ['SUM'], attributes: { keepdims: 1 } },
        ],
        initializers: { axis: tensor('INT64', [1], BigInt64Array.of(1n)) },
      },
      `max_batch_size: 4
     input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "SUM" data_type: TYPE_INT32 dims: 1 }
     sequence_batching { oldest { max_candidate_sequences: 4 }
       state { input_name: "PAST" output_name: "NOW" data_type: TYPE_INT32 dims: -1 } }`,
      async (server) => {
        const step = async (value: number, correlationId: bigint, sequenceStart = false) =>
          values((await server.infer('m', item(value), { correlationId, sequenceStart })).SUM)
        await step(1, 1n, true)
        await step(2, 1n)
        await Promise.all([step(10, 2n, true), step(100, 3n, true)])
        expect(await Promise.all([step(20, 2n), step(3, 1n), step(200, 3n)])).toEqual([[30], [6], [300]])
      },
    ))

  test('a place without request is not ready, and does not touch the state of its sequence', () =>
    withModel(kind, counting, countingConfig('direct { }'), async (server) => {
      await server.infer('m', item(1), first(1n))
      await server.infer('m', item(10), first(2n))
      const { OUT, ITEMS } = await server.infer('m', item(20), { correlationId: 2n })
      expect([values(OUT), values(ITEMS)]).toEqual([[30], [1]])
      const next = await server.infer('m', item(2), { correlationId: 1n })
      expect(values(next.OUT)).toEqual([3])
    }))

  test('a run that fails leaves the state as it is', () =>
    withModel(
      kind,
      {
        inputs: ['IN', 'PAST'].map((name) => ({ name, datatype: 'INT32', shape: ['n', 1] })),
        outputs: ['OUT', 'NOW'].map((name) => ({ name, datatype: 'INT32', shape: ['n', 1] })),
        nodes: [
          { op: 'Gather', inputs: ['table', 'IN'], outputs: ['checked'] },
          { op: 'Add', inputs: ['PAST', 'checked'], outputs: ['NOW'] },
          { op: 'Identity', inputs: ['NOW'], outputs: ['OUT'] },
        ],
        initializers: { table: tensor('INT32', [3], Int32Array.of(0, 1, 2)) },
      },
      `max_batch_size: 1
     input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "OUT" data_type: TYPE_INT32 dims: 1 }
     sequence_batching { state { input_name: "PAST" output_name: "NOW" data_type: TYPE_INT32 dims: 1
       initial_state { name: "zero" data_type: TYPE_INT32 dims: 1 zero_data: true } } }`,
      async (server) => {
        await server.infer('m', item(2), first(1n))
        await expect(server.infer('m', item(9), { correlationId: 1n })).rejects.toThrow('onnx runtime error')
        const { OUT } = await server.infer('m', item(1), { correlationId: 1n })
        expect(values(OUT)).toEqual([3])
      },
    ))

  test('a state that is not of the type of its input', () =>
    withModel(
      kind,
      {
        inputs: [
          { name: 'IN', datatype: 'INT32', shape: ['n', 1] },
          { name: 'PAST', datatype: 'FP32', shape: ['n', 1] },
        ],
        outputs: ['OUT', 'NOW'].map((name) => ({ name, datatype: 'INT32', shape: ['n', 1] })),
        nodes: [
          { op: 'Cast', inputs: ['PAST'], outputs: ['past'], attributes: { to: 6 } },
          { op: 'Add', inputs: ['past', 'IN'], outputs: ['NOW'] },
          { op: 'Identity', inputs: ['NOW'], outputs: ['OUT'] },
        ],
      },
      `max_batch_size: 1
     input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "OUT" data_type: TYPE_INT32 dims: 1 }
     sequence_batching { state { input_name: "PAST" output_name: "NOW" data_type: TYPE_INT32 dims: 1
       initial_state { name: "zero" data_type: TYPE_INT32 dims: 1 zero_data: true } } }`,
      async (server) => {
        await expect(server.infer('m', item(2), first(1n))).rejects.toThrow(
          'onnx runtime error 2: Unexpected input data type. Actual: (tensor(int32)) , expected: (tensor(float))',
        )
      },
    ))
})

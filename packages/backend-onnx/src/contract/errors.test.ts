import { tensor } from '@triton-ts/core'
import { onnxModel, type RepositoryFiles } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { contract, failedLoad, withServer } from './executors.ts'
import { identity, io } from './models.ts'

const config = `max_batch_size: 0 ${io('TYPE_FP32', '-1')}`
const onnxConfig = `backend: "onnxruntime" ${config}`
const model = identity('FP32', ['n'])
const withConfig = (more: string) => ({ 'm/1/model.onnx': model, 'm/config.pbtxt': `${config} ${more}` })

const openvino = 'optimization { execution_accelerators { cpu_execution_accelerator { name: "openvino" } } }'
const unknownAccelerator = 'optimization { execution_accelerators { cpu_execution_accelerator { name: "nope" } } }'
const parameter = (name: string, value: string) => `parameters { key: "${name}" value { string_value: "${value}" } }`

const failingLoads: readonly (readonly [string, RepositoryFiles, string | RegExp])[] = [
  [
    'a corrupt file',
    { 'm/1/model.onnx': 'garbage', 'm/config.pbtxt': config },
    /onnx runtime error 7: Load model from .*model\.onnx failed:Protobuf parsing failed\./,
  ],
  [
    'an empty file',
    { 'm/1/model.onnx': '', 'm/config.pbtxt': config },
    /onnx runtime error 1: .*does not have a graph/,
  ],
  [
    'a model that ends in the middle',
    { 'm/1/model.onnx': model.subarray(0, model.length - 9), 'm/config.pbtxt': config },
    /onnx runtime error 7: Load model from .* failed:Protobuf parsing failed\./,
  ],
  [
    'an operator that does not exist',
    {
      'm/1/model.onnx': onnxModel({
        inputs: [{ name: 'IN', datatype: 'FP32', shape: ['n'] }],
        outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['n'] }],
        nodes: [{ op: 'NoSuchOperator', inputs: ['IN'], outputs: ['OUT'] }],
      }),
      'm/config.pbtxt': config,
    },
    /onnx runtime error \d+: .*NoSuchOperator/,
  ],
  ['no file', { 'm/1/': '', 'm/config.pbtxt': onnxConfig }, /failed to stat file .*m\/1\/model\.onnx/],
  [
    'a directory without model',
    { 'm/1/model.onnx/': '', 'm/config.pbtxt': config },
    /unable to find '.*m\/1\/model\.onnx\/model\.onnx' for model instance 'm'/,
  ],
  [
    'a file outside of the version',
    { 'm/1/model.onnx': model, 'm/config.pbtxt': `${onnxConfig} default_model_filename: "../m.onnx"` },
    "model file '../m.onnx' of model 'm' is outside its version directory",
  ],
  [
    'a file by its full path',
    { 'm/1/model.onnx': model, 'm/config.pbtxt': `${onnxConfig} default_model_filename: "/m.onnx"` },
    "model file '/m.onnx' of model 'm' is outside its version directory",
  ],
  ['an accelerator that is not there', withConfig(openvino), "unknown Execution Accelerator 'openvino' is requested: "],
  ['an unknown accelerator', withConfig(unknownAccelerator), "unknown Execution Accelerator 'nope' is requested"],
  [
    'threads that are no number',
    withConfig(parameter('intra_op_thread_count', 'many')),
    "failed to convert 'many' to integral number",
  ],
  ['a switch that is none', withConfig(parameter('enable_mem_arena', '2')), "failed to convert '2' to boolean"],
  [
    'an execution mode that does not exist',
    withConfig(parameter('execution_mode', '2')),
    'Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got 2 .',
  ],
  [
    'a session entry that ONNX Runtime takes at its word',
    withConfig(parameter('session.load_model_format', 'ORT')),
    /onnx runtime error \d+: /,
  ],
]

const ofNode = (code: number, op: string, text: string) =>
  expect.stringMatching(
    new RegExp(`^onnx runtime error ${code}: Non-zero status code returned while running ${op} node\\..* ${text}`),
  )

/** Each reports in another way. T is [1, 2]. */
const failingRuns = [
  {
    op: 'Gather',
    IN: tensor('INT64', [1], BigInt64Array.of(9n)),
    more: { inputs: ['T', 'IN'], attributes: {} },
    message: ofNode(2, 'Gather', 'indices element out of data bounds'),
  },
  {
    op: 'MatMul',
    IN: tensor('FP32', [2, 3], new Float32Array(6)),
    more: { inputs: ['IN', 'IN'], attributes: {} },
    message: ofNode(1, 'MatMul', 'matmul_helper'),
  },
  {
    op: 'Cast',
    IN: tensor('BYTES', [1], ['no number']),
    more: { inputs: ['IN'], attributes: { to: 1 } },
    message: ofNode(6, 'Cast', 'stod'),
  },
]

contract((kind) => {
  test('of a run, after which the next one works', () =>
    withServer(
      kind,
      {
        'm/1/model.onnx': onnxModel({
          inputs: [{ name: 'IN', datatype: 'FP32', shape: ['n'] }],
          outputs: [{ name: 'OUT', datatype: 'FP32', shape: [2, 3] }],
          nodes: [{ op: 'Reshape', inputs: ['IN', 'shape'], outputs: ['OUT'] }],
          initializers: { shape: tensor('INT64', [2], BigInt64Array.of(2n, 3n)) },
        }),
      },
      async (server) => {
        await expect(server.infer('m', { IN: tensor('FP32', [5], new Float32Array(5)) })).rejects.toMatchObject({
          code: 'INTERNAL',
          message: expect.stringMatching(/^onnx runtime error 6: Non-zero status code returned while running Reshape/),
        })
        expect((await server.infer('m', { IN: tensor('FP32', [6], new Float32Array(6)) })).OUT?.shape).toEqual([2, 3])
      },
    ))

  test('of a run that needs more memory than there is', () =>
    withServer(
      kind,
      {
        'm/1/model.onnx': onnxModel({
          inputs: [{ name: 'SHAPE', datatype: 'INT64', shape: [3] }],
          outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['a', 'b', 'c'] }],
          nodes: [{ op: 'ConstantOfShape', inputs: ['SHAPE'], outputs: ['OUT'] }],
        }),
      },
      async (server) => {
        const run = (...sizes: bigint[]) =>
          server.infer('m', { SHAPE: tensor('INT64', [3], BigInt64Array.from(sizes)) })
        await expect(run(1n << 20n, 1n << 20n, 1n << 7n)).rejects.toMatchObject({
          code: 'INTERNAL',
          message: expect.stringMatching(
            /^onnx runtime error 6: Non-zero status code returned while running ConstantOf/,
          ),
        })
        expect((await run(1n, 2n, 3n)).OUT?.shape).toEqual([1, 2, 3])
      },
    ))

  test.each(failingRuns)('of the operator $op, with the code of ONNX Runtime', ({ op, IN, more, message }) => {
    const datatype = IN.datatype
    const shape = IN.shape.map((_, i) => `n${i}`)
    const files = {
      'm/1/model.onnx': onnxModel({
        inputs: [{ name: 'IN', datatype, shape }],
        outputs: [
          { name: 'OUT', datatype: op === 'Cast' ? 'FP32' : datatype, shape: shape.map((name) => `${name}_out`) },
        ],
        nodes: [{ op, inputs: more.inputs, outputs: ['OUT'], attributes: more.attributes }],
        initializers: { T: tensor('INT64', [2], BigInt64Array.of(1n, 2n)) },
      }),
      'm/config.pbtxt': `backend: "onnxruntime"
        input { name: "IN" data_type: TYPE_${datatype.replace('BYTES', 'STRING')} dims: [ ${shape.map(() => -1)} ] }
        output { name: "OUT" data_type: TYPE_${op === 'Cast' ? 'FP32' : datatype} dims: [ ${shape.map(() => -1)} ] }`,
    }
    return withServer(kind, files, async (server) => {
      await expect(server.infer('m', { IN })).rejects.toMatchObject({ code: 'INTERNAL', message })
    })
  })

  test.each(failingLoads)('of a load: %s', async (_, files, message) => {
    const text = await failedLoad(kind, files)
    if (typeof message === 'string') expect(text).toContain(message)
    else expect(text).toMatch(message)
  })
})

import { type DataType, Server, Tensor, type TensorData, tensor } from '@triton-ts/core'
import { modelRepository, onnxModel, type RepositoryFiles } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { onnx } from './index.ts'

const identity = (datatype: DataType, shape: readonly (number | string)[]) =>
  onnxModel({
    inputs: [{ name: 'IN', datatype, shape }],
    outputs: [{ name: 'OUT', datatype, shape }],
    nodes: [{ op: 'Identity', inputs: ['IN'], outputs: ['OUT'] }],
  })

async function withServer(files: RepositoryFiles, use: (server: Server) => Promise<void>): Promise<void> {
  await using repository = await modelRepository(files)
  await using server = await Server.start({ modelRepository: repository.path, backends: [onnx()] })
  await use(server)
}

async function failedLoad(files: RepositoryFiles): Promise<string> {
  await using repository = await modelRepository(files)
  await using server = new Server({ modelRepository: repository.path, backends: [onnx()] })
  return await server.start().then(
    () => 'loaded',
    (error: Error) => error.message,
  )
}

const io = (type: string, dims: string, more = '') => `
  input { name: "IN" data_type: ${type} dims: [ ${dims} ] ${more} }
  output { name: "OUT" data_type: ${type} dims: [ ${dims} ] ${more} }
  instance_group { kind: KIND_CPU count: 1 }`

const values: { [T in Exclude<DataType, 'BF16'>]: TensorData<T> } = {
  BOOL: Uint8Array.of(0, 1),
  UINT8: Uint8Array.of(0, 255),
  UINT16: Uint16Array.of(0, 65535),
  UINT32: Uint32Array.of(0, 4294967295),
  UINT64: BigUint64Array.of(0n, 18446744073709551615n),
  INT8: Int8Array.of(-128, 127),
  INT16: Int16Array.of(-32768, 32767),
  INT32: Int32Array.of(-2147483648, 2147483647),
  INT64: BigInt64Array.of(-9223372036854775808n, 9223372036854775807n),
  FP16: Uint16Array.of(0x3c00, 0x7bff),
  FP32: Float32Array.of(-1.5, 3.4e38),
  FP64: Float64Array.of(Number.MIN_VALUE, -1e300),
  BYTES: ['grüße 😀', ''],
}

describe('data types', () => {
  test.each(Object.keys(values) as Exclude<DataType, 'BF16'>[])('%s', (datatype) =>
    withServer(
      {
        'm/1/model.onnx': identity(datatype, ['n']),
        'm/config.pbtxt': io(`TYPE_${datatype.replace('BYTES', 'STRING')}`, '-1'),
      },
      async (server) => {
        const data = values[datatype]
        const { OUT } = await server.infer('m', { IN: tensor(datatype, [2], data) })
        expect(OUT).toMatchObject({ datatype, shape: [2] })
        expect(datatype === 'BYTES' ? OUT?.strings() : OUT?.data).toEqual(data)
        const none = await server.infer('m', { IN: Tensor.fromBytes(datatype, [0], new Uint8Array()) })
        expect(none.OUT).toMatchObject({ shape: [0], byteSize: 0 })
      },
    ),
  )
})

test('strings end at the first NUL, and bytes that are no UTF-8 stay as they are', () =>
  withServer({ 'm/1/model.onnx': identity('BYTES', ['n', 'k']) }, async (server) => {
    const latin = Buffer.from('caf\xe9', 'latin1')
    const { OUT } = await server.infer('m', { IN: tensor('BYTES', [1, 3], ['a\0b', latin, 'é']) })
    expect(((OUT as Tensor).data as Uint8Array[]).map((bytes) => Buffer.from(bytes))).toEqual([
      Buffer.from('a'),
      latin,
      Buffer.from('é'),
    ])
  }))

describe('shapes', () => {
  test('scalars are [1] for callers', () =>
    withServer({ 'm/1/model.onnx': identity('FP32', []) }, async (server) => {
      expect(server.model('m').config).toMatchObject({ maxBatchSize: 0, input: [{ dims: [1] }] })
      const { OUT } = await server.infer('m', { IN: tensor('FP32', [1], Float32Array.of(4)) })
      expect(OUT?.shape).toEqual([1])
      expect(OUT?.data).toEqual(Float32Array.of(4))
    }))

  test('empty tensors', () =>
    withServer({ 'm/1/model.onnx': identity('INT64', ['n', 'k', 3]) }, async (server) => {
      const { OUT } = await server.infer('m', { IN: tensor('INT64', [1, 0, 3], new BigInt64Array(0)) })
      expect(OUT).toMatchObject({ shape: [1, 0, 3], elementCount: 0 })
    }))

  test('reshape', () =>
    withServer(
      {
        'm/1/model.onnx': identity('FP32', ['n']),
        'm/config.pbtxt': `max_batch_size: 4 ${io('TYPE_FP32', '1', 'reshape { shape: [ ] }')}`,
      },
      async (server) => {
        const { OUT } = await server.infer('m', { IN: tensor('FP32', [3, 1], Float32Array.of(1, 2, 3)) })
        expect(OUT?.shape).toEqual([3, 1])
      },
    ))

  test('a batch of the model size and one beyond it', () =>
    withServer(
      {
        'm/1/model.onnx': identity('FP32', ['n', 2]),
        'm/config.pbtxt': `max_batch_size: 2 ${io('TYPE_FP32', '2')}`,
      },
      async (server) => {
        const { OUT } = await server.infer('m', { IN: tensor('FP32', [2, 2], Float32Array.of(1, 2, 3, 4)) })
        expect(OUT?.data).toEqual(Float32Array.of(1, 2, 3, 4))
        await expect(server.infer('m', { IN: tensor('FP32', [3, 2], new Float32Array(6)) })).rejects.toThrow(
          'inference request batch-size must be <= 2',
        )
      },
    ))
})

test('operators: a small network gives what it should', () =>
  withServer(
    {
      'net/1/model.onnx': onnxModel({
        inputs: [{ name: 'IMAGE', datatype: 'UINT8', shape: ['n', 1, 4, 4] }],
        outputs: [{ name: 'SCORE', datatype: 'FP32', shape: ['n', 2] }],
        nodes: [
          { op: 'Cast', inputs: ['IMAGE'], outputs: ['image'], attributes: { to: 1 } },
          { op: 'Conv', inputs: ['image', 'kernel'], outputs: ['conv'], attributes: { strides: [2, 2] } },
          { op: 'Relu', inputs: ['conv'], outputs: ['relu'] },
          { op: 'Reshape', inputs: ['relu', 'flat'], outputs: ['row'] },
          { op: 'MatMul', inputs: ['row', 'weights'], outputs: ['sum'] },
          { op: 'LeakyRelu', inputs: ['sum'], outputs: ['SCORE'], attributes: { alpha: 0.5 } },
        ],
        initializers: {
          kernel: tensor('FP32', [1, 1, 2, 2], Float32Array.of(1, 1, 1, 1)),
          flat: tensor('INT64', [2], BigInt64Array.of(-1n, 4n)),
          weights: tensor('FP32', [4, 2], Float32Array.of(1, -1, 1, -1, 1, -1, 1, -1)),
        },
      }),
    },
    async (server) => {
      const { SCORE } = await server.infer('net', { IMAGE: tensor('UINT8', [1, 1, 4, 4], new Uint8Array(16).fill(2)) })
      expect(SCORE?.data).toEqual(Float32Array.of(32, -16))
    },
  ))

test('an optional input has its default when it is left out', () =>
  withServer(
    {
      'm/1/model.onnx': onnxModel({
        inputs: ['IN', 'BIAS'].map((name) => ({ name, datatype: 'FP32' as const, shape: [2] })),
        outputs: [{ name: 'OUT', datatype: 'FP32', shape: [2] }],
        nodes: [{ op: 'Add', inputs: ['IN', 'BIAS'], outputs: ['OUT'] }],
        initializers: { BIAS: tensor('FP32', [2], Float32Array.of(10, 20)) },
      }),
      'm/config.pbtxt': `
        input [ { name: "IN" data_type: TYPE_FP32 dims: [ 2 ] },
                { name: "BIAS" data_type: TYPE_FP32 dims: [ 2 ] optional: true } ]
        output { name: "OUT" data_type: TYPE_FP32 dims: [ 2 ] }`,
    },
    async (server) => {
      const IN = tensor('FP32', [2], Float32Array.of(1, 2))
      expect((await server.infer('m', { IN })).OUT?.data).toEqual(Float32Array.of(11, 22))
      const BIAS = tensor('FP32', [2], Float32Array.of(5, 5))
      expect((await server.infer('m', { IN, BIAS })).OUT?.data).toEqual(Float32Array.of(6, 7))
    },
  ))

test('requests run on all instances at once, and the event loop goes on', () => {
  const size = 512
  const model = onnxModel({
    inputs: [{ name: 'X', datatype: 'FP32', shape: [size, size] }],
    outputs: [{ name: 'Y', datatype: 'FP32', shape: [size, size] }],
    nodes: [{ op: 'MatMul', inputs: ['X', 'X'], outputs: ['Y'] }],
  })
  return withServer({ 'm/1/model.onnx': model }, async (server) => {
    expect(server.model('m').config.instanceGroup).toMatchObject([{ kind: 'KIND_CPU', count: 2 }])
    let turns = 0
    let running = true
    const count = (): void => {
      turns++
      if (running) setImmediate(count)
    }
    count()
    const X = tensor('FP32', [size, size], new Float32Array(size * size).fill(1))
    const answers = await Promise.all(Array.from({ length: 4 }, () => server.infer('m', { X })))
    running = false
    expect(answers.map(({ Y }) => ((Y as Tensor).data as Float32Array)[0])).toEqual([size, size, size, size])
    expect(turns).toBeGreaterThan(10)
  })
})

describe('errors', () => {
  test('of a run', () =>
    withServer(
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

  const config = `max_batch_size: 0 ${io('TYPE_FP32', '-1')}`
  test.each<[string, RepositoryFiles, string]>([
    [
      'a corrupt file',
      { 'm/1/model.onnx': 'garbage', 'm/config.pbtxt': config },
      'onnx runtime error 7: Load model from',
    ],
    ['no file', { 'm/1/': '', 'm/config.pbtxt': `backend: "onnxruntime" ${config}` }, 'failed to stat file'],
    [
      'another type',
      { 'm/1/model.onnx': identity('INT32', ['n']), 'm/config.pbtxt': config },
      "configuration expects datatype TYPE_FP32 for input 'IN', model provides TYPE_INT32",
    ],
    [
      'custom operators',
      {
        'm/1/model.onnx': identity('FP32', ['n']),
        'm/config.pbtxt': `${config} model_operations { op_library_filename: "a.so" }`,
      },
      "model 'm' needs the custom operators of a.so, which onnxruntime-node cannot register",
    ],
    [
      'an accelerator',
      {
        'm/1/model.onnx': identity('FP32', ['n']),
        'm/config.pbtxt': `${config} optimization { execution_accelerators { cpu_execution_accelerator { name: "openvino" } } }`,
      },
      "unknown Execution Accelerator 'openvino' is requested",
    ],
  ])('of a load: %s', async (_, files, message) => {
    expect(await failedLoad(files)).toContain(message)
  })
})

test('auto-complete adds the batch size, the batcher and the tensors', () =>
  withServer({ 'm/1/model.onnx': identity('FP32', ['n', 4]) }, async (server) => {
    expect(server.model('m').config).toMatchObject({
      maxBatchSize: 4,
      dynamicBatching: { preferredBatchSize: [4] },
      input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [4] }],
      output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [4] }],
    })
  }))

import { tensor } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { contract, failedLoad, onlyNative, recordingLogger, withServer } from './executors.ts'
import { identity, io } from './models.ts'

const IN = tensor('FP32', [2], Float32Array.of(1, 2))
const parameter = (name: string, value: string) => `parameters { key: "${name}" value { string_value: "${value}" } }`
const files = (config: string, shape: readonly (number | string)[] = ['n']) => ({
  'm/1/model.onnx': identity('FP32', shape),
  'm/config.pbtxt': `max_batch_size: 0 ${io('TYPE_FP32', '-1')} ${config}`,
})

const shrinkage = parameter('memory.enable_memory_arena_shrinkage', 'cpu:0')
const operators = 'model_operations { op_library_filename: "operators.so" }'

contract((kind) => {
  test.each([
    ['intra_op_thread_count', '2'],
    ['inter_op_thread_count', '2'],
    ['execution_mode', '1'],
    ['enable_mem_arena', 'OFF'],
    ['enable_mem_pattern', 'true'],
    ['session.set_denormal_as_zero', '1'],
    ['unrelated', 'x'],
  ])('%s: %s is taken', (name, value) =>
    withServer(kind, files(parameter(name, value)), async (server) => {
      expect((await server.infer('m', { IN })).OUT?.data).toEqual(IN.data)
    }),
  )

  test.each([-1, 0, 1, 2, 7])('graph level %i is taken', (level) =>
    withServer(kind, files(`optimization { graph { level: ${level} } }`), async (server) => {
      expect((await server.infer('m', { IN })).OUT?.data).toEqual(IN.data)
    }),
  )

  test('the log tells where a model runs', async () => {
    const { logger, texts } = recordingLogger()
    await withServer(kind, files(''), async () => {}, { logger })
    const where = kind === 'native' ? 'native threads' : 'worker threads'
    expect(texts('info')).toContain(`model 'm' version 1 runs on ONNX Runtime in ${where}`)
  })
})

test('the worker executor names the settings that it cannot pass on', async () => {
  const { logger, texts } = recordingLogger()
  await withServer('worker', files(shrinkage), async () => {}, { logger })
  expect(texts('warn')).toContain(
    "parameter 'memory.enable_memory_arena_shrinkage' is ignored: onnxruntime-node cannot set it",
  )
  expect(await failedLoad('worker', files(operators))).toContain(
    "model 'm' needs the custom operators of operators.so, which onnxruntime-node cannot register; the native executor can",
  )
})

onlyNative(() => {
  test('the memory arena shrinks after a run', async () => {
    const { logger, texts } = recordingLogger()
    const use = async (server: Parameters<Parameters<typeof withServer>[2]>[0]) => {
      expect((await server.infer('m', { IN })).OUT?.data).toEqual(IN.data)
    }
    await withServer('native', files(shrinkage), use, { logger })
    expect(texts('warn')).toEqual([])
    const nowhere = parameter('memory.enable_memory_arena_shrinkage', 'nowhere:0')
    await withServer('native', files(nowhere), async (server) => {
      await expect(server.infer('m', { IN })).rejects.toThrow(/onnx runtime error \d+: .*nowhere/)
    })
  })

  test('a library of custom operators is opened', async () => {
    expect(await failedLoad('native', files(operators))).toMatch(/onnx runtime error \d+: .*operators\.so/)
    const garbage = { ...files(operators), 'm/1/operators.so': 'no library' }
    expect(await failedLoad('native', garbage)).toMatch(/onnx runtime error \d+: .*m\/1\/operators\.so/)
  })

  test('16-bit brain floats', async () => {
    const bf16 = {
      'm/1/model.onnx': identity('BF16', ['n']),
      'm/config.pbtxt': `max_batch_size: 0 ${io('TYPE_BF16', '-1')}`,
    }
    await withServer('native', bf16, async (server) => {
      const data = Uint16Array.of(0x3f80, 0xc000)
      const { OUT } = await server.infer('m', { IN: tensor('BF16', [2], data) })
      expect(OUT).toMatchObject({ datatype: 'BF16', shape: [2] })
      expect(OUT?.data).toEqual(data)
    })
    expect(await failedLoad('worker', bf16)).toContain('onnxruntime-node does not support BF16 inputs and outputs')
  })
})

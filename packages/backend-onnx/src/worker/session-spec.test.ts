import { describe, expect, test } from 'vitest'
import { sessionSpec } from './session-spec.ts'
import { inputConfig, instanceGroup, modelConfig, optimization, parameters } from './test-support.ts'
import { unsupportedSettings } from './unsupported-settings.ts'

const cpu = { kind: 'KIND_CPU', deviceId: 0 } as const
const gpu = { kind: 'KIND_GPU', deviceId: 3 } as const
const accelerators = (gpuNames: string[], cpuNames: string[] = []) =>
  optimization({
    executionAccelerators: {
      gpuExecutionAccelerator: gpuNames.map((name) => ({ name, parameters: {} })),
      cpuExecutionAccelerator: cpuNames.map((name) => ({ name, parameters: {} })),
    },
  })

describe('session options', () => {
  test('defaults', () => {
    const config = modelConfig({ input: [inputConfig('A', 'TYPE_FP32', [1])] })
    expect(sessionSpec(config, '/m.onnx', 3, cpu)).toEqual({
      modelPath: '/m.onnx',
      inputs: ['A'],
      providers: [],
      graphOptimizationLevel: 'all',
      executionMode: 'sequential',
      intraOpThreads: 3,
      interOpThreads: 0,
      memoryArena: undefined,
      memoryPattern: undefined,
      entries: {},
    })
  })

  test('parameters of the model', () => {
    const config = modelConfig({
      parameters: parameters({
        intra_op_thread_count: '5',
        inter_op_thread_count: '2',
        execution_mode: '1',
        enable_mem_arena: 'OFF',
        enable_mem_pattern: 'true',
        'session.set_denormal_as_zero': '1',
        unrelated: 'x',
      }),
    })
    expect(sessionSpec(config, '', 3, cpu)).toMatchObject({
      intraOpThreads: 5,
      interOpThreads: 2,
      executionMode: 'parallel',
      memoryArena: false,
      memoryPattern: true,
      entries: { 'session.set_denormal_as_zero': '1' },
    })
  })

  test('0 threads means the default', () => {
    const config = modelConfig({ parameters: parameters({ intra_op_thread_count: '0' }) })
    expect(sessionSpec(config, '', 3, cpu).intraOpThreads).toBe(3)
  })

  test.each([
    [-1, 'basic'],
    [0, 'all'],
    [1, 'extended'],
    [2, 'disabled'],
    [7, 'all'],
  ])('graph level %i is %s', (level, expected) => {
    const config = modelConfig({ optimization: optimization({ graph: { level } }) })
    expect(sessionSpec(config, '', 1, cpu).graphOptimizationLevel).toBe(expected)
  })

  test.each([
    ['intra_op_thread_count', 'many', "failed to convert 'many' to integral number"],
    ['enable_mem_arena', '2', "failed to convert '2' to boolean"],
    [
      'execution_mode',
      '2',
      'Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got 2 .',
    ],
  ])('%s: %s is refused', (name, value, message) => {
    const config = modelConfig({ parameters: parameters({ [name]: value }) })
    expect(() => sessionSpec(config, '', 1, cpu)).toThrow(expect.objectContaining({ code: 'INVALID_ARG', message }))
  })
})

describe('execution accelerators', () => {
  const providers = (config: Parameters<typeof modelConfig>[0], device: typeof cpu | typeof gpu) =>
    sessionSpec(modelConfig(config), '', 1, device).providers

  test('a GPU instance has CUDA, and TensorRT before it when asked for', () => {
    expect(providers({}, gpu)).toEqual([{ name: 'cuda', deviceId: 3 }])
    expect(providers({ optimization: accelerators(['tensorrt', 'cuda']) }, gpu)).toEqual([
      { name: 'tensorrt', deviceId: 3 },
      { name: 'cuda', deviceId: 3 },
    ])
  })

  test('a CPU instance ignores GPU accelerators', () => {
    expect(providers({ optimization: accelerators(['tensorrt']) }, cpu)).toEqual([])
    expect(providers({ optimization: accelerators([], ['openvino']) }, cpu)).toEqual([{ name: 'openvino' }])
  })

  test('unknown names', () => {
    const message = "unknown Execution Accelerator 'nope' is requested"
    expect(() => providers({ optimization: accelerators(['nope']) }, gpu)).toThrow(message)
    expect(() => providers({ optimization: accelerators([], ['nope']) }, cpu)).toThrow(message)
  })
})

test('settings that cannot be passed on are named', () => {
  const config = modelConfig({
    parameters: parameters({ 'memory.enable_memory_arena_shrinkage': 'cpu:0', gpu_mem_limit: '1' }),
    optimization: optimization({
      executionAccelerators: {
        gpuExecutionAccelerator: [{ name: 'tensorrt', parameters: { precision_mode: 'FP16' } }],
        cpuExecutionAccelerator: [],
      },
    }),
  })
  const texts = (fields: Parameters<typeof modelConfig>[0], backendConfig = {}) =>
    unsupportedSettings({ ...config, ...fields }, backendConfig).map((text) => text.split(' is ignored')[0])
  expect(texts({})).toEqual(["parameter 'memory.enable_memory_arena_shrinkage'"])
  expect(
    texts({ instanceGroup: instanceGroup({ kind: 'KIND_GPU', gpus: [0] }) }, { 'enable-global-threadpool': '1' }),
  ).toEqual([
    "parameter 'memory.enable_memory_arena_shrinkage'",
    "parameter 'gpu_mem_limit'",
    "tensorrt parameter 'precision_mode'",
    "backend config 'enable-global-threadpool'",
  ])
  expect(unsupportedSettings(modelConfig(), {})).toEqual([])
})

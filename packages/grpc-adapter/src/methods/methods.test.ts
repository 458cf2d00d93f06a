import { TritonError, tritonLog } from '@triton-ts/core'
import { manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

describe('health', () => {
  test('of the server and its models', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    expect(await caller.unary('ServerLive', {})).toEqual({ live: true })
    expect(await caller.unary('ServerReady', {})).toEqual({ ready: true })
    expect(await caller.unary('ModelReady', { name: 'int32', version: '1' })).toEqual({ ready: true })
    expect(await caller.unary('ModelReady', { name: 'int32', version: '2' })).toEqual({ ready: false })
    expect(await caller.unary('ModelReady', { name: 'nope' })).toEqual({ ready: false })
    await expect(caller.unary('ModelReady', { name: 'int32', version: '-1' })).rejects.toThrow(
      "invalid model version specified '-1' , version should be an integral value > 0",
    )
  })

  test('is UNAVAILABLE while the server stops', async () => {
    const manual = manualBackend('identity')
    await using fixture = await testServer({ backends: [manual, manualBackend()] })
    const caller = new Caller(fixture.server)
    const answer = fixture.server.infer('int32', { IN: [1] })
    const { requests, finish } = await manual.next()
    const stopped = fixture.server.stop()
    const unavailable = (message: string): object => ({ code: 'UNAVAILABLE', message })
    await expect(caller.unary('ServerLive', {})).rejects.toMatchObject(unavailable('Server exiting'))
    await expect(caller.unary('ServerReady', {})).rejects.toMatchObject(unavailable('Server exiting'))
    await expect(caller.unary('ModelReady', { name: 'int32' })).rejects.toMatchObject(unavailable('Server not ready'))
    await expect(caller.unary('grpc.health.v1.Health/Check', {})).rejects.toMatchObject(unavailable('Server exiting'))
    requests[0]?.fail(new TritonError('INTERNAL', 'over'))
    finish()
    await answer.catch(() => {})
    await stopped
  })
})

describe('metadata', () => {
  test('of the server and its models', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    expect(await caller.unary('ServerMetadata', {})).toEqual(fixture.server.metadata())
    expect(await caller.unary('ModelMetadata', { name: 'pair' })).toMatchObject({
      name: 'pair',
      versions: ['1'],
      platform: 'identity',
      inputs: [
        { name: 'A', datatype: 'INT32', shape: [-1n, 2n] },
        { name: 'B', datatype: 'INT32', shape: [-1n, 2n] },
      ],
    })
    await expect(caller.unary('ModelMetadata', { name: 'nope' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a configuration has every field that the model has', async () => {
    await using fixture = await testServer()
    const { config } = await new Caller(fixture.server).unary('ModelConfig', { name: 'scores' })
    expect(config).toMatchObject({
      name: 'scores',
      backend: 'identity',
      max_batch_size: 4,
      version_policy: { latest: { num_versions: 1 } },
      input: [{ name: 'IN', data_type: 'TYPE_FP32', dims: [3n] }],
      output: [{ label_filename: 'labels.txt' }],
      instance_group: [{ name: 'scores', count: 1, kind: 'KIND_CPU' }],
      optimization: { input_pinned_memory: { enable: true } },
    })
  })

  test('statistics count what was asked', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    await fixture.server.infer('int32', { IN: [1, 2] })
    const { model_stats } = await caller.unary('ModelStatistics', { name: 'int32', version: '1' })
    expect(model_stats).toMatchObject([
      {
        name: 'int32',
        version: '1',
        inference_count: 1n,
        inference_stats: { success: { count: 1n }, fail: { count: 0n } },
      },
    ])
    expect((await caller.unary('ModelStatistics', {})).model_stats.length).toBeGreaterThan(5)
    await expect(caller.unary('ModelStatistics', { name: 'nope' })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: "requested model 'nope' is not available",
    })
  })
})

describe('the repository', () => {
  const config = '{"backend":"identity","input":[{"name":"IN","data_type":"TYPE_INT32","dims":[1]}]}'
  const load = (parameters: object, model_name = 'int32'): object => ({ model_name, parameters })

  test('lists, loads and unloads models', async () => {
    await using fixture = await testServer({ modelControl: 'explicit' })
    const caller = new Caller(fixture.server)
    expect((await caller.unary('RepositoryIndex', { ready: true })).models).toEqual([])
    await caller.unary('RepositoryModelLoad', load({ config: { string_param: config } }))
    expect((await caller.unary('RepositoryIndex', { ready: true })).models).toEqual([
      { name: 'int32', version: '1', state: 'READY', reason: '' },
    ])
    expect((await caller.unary('ModelMetadata', { name: 'int32' })).inputs[0].shape).toEqual([1n])
    const unload = { model_name: 'int32', parameters: { unload_dependents: { bool_param: true }, other: {} } }
    expect(await caller.unary('RepositoryModelUnload', unload)).toEqual({})
    expect(await caller.unary('ModelReady', { name: 'int32' })).toEqual({ ready: false })
    await caller.unary(
      'RepositoryModelLoad',
      load({ config: { string_param: config }, 'file:1/model.bin': { bytes_param: Buffer.from('x') } }, 'made'),
    )
    expect(await caller.unary('ModelReady', { name: 'made' })).toEqual({ ready: true })
  })

  test.each([
    ['RepositoryIndex', { repository_name: 'r' }, "'repository_name' specification is not supported"],
    ['RepositoryModelLoad', { repository_name: 'r' }, "'repository_name' specification is not supported"],
    ['RepositoryModelLoad', load({ foo: { string_param: '' } }), "unrecognized load parameter 'foo'."],
    [
      'RepositoryModelLoad',
      load({ config: { bool_param: true } }),
      "invalid value type for load parameter 'config', expected string_param.",
    ],
    [
      'RepositoryModelLoad',
      load({ 'file:1/m': { string_param: '' } }),
      "invalid value type for load parameter 'file:1/m', expected bytes_param.",
    ],
    [
      'RepositoryModelUnload',
      load({ unload_dependents: { string_param: '' } }),
      "invalid value type for 'unload_dependents' parameter, expected bool_param.",
    ],
  ])('%s says what is wrong: %#', async (method, request, text) => {
    await using fixture = await testServer({ modelControl: 'explicit' })
    await expect(new Caller(fixture.server).unary(method, request)).rejects.toThrow(text)
  })

  test('is not controlled where that is switched off', async () => {
    await using fixture = await testServer({ modelControl: 'explicit' })
    const caller = new Caller(fixture.server, { repositoryControl: false })
    await expect(caller.unary('RepositoryModelLoad', load({}))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(caller.unary('RepositoryModelUnload', load({}))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describe('shared memory', () => {
  test('cannot be registered unless that is allowed', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    for (const kind of ['System', 'Cuda']) {
      expect(await caller.unary(`${kind}SharedMemoryStatus`, {})).toEqual({ regions: {} })
      for (const action of ['Register', 'Unregister']) {
        await expect(caller.unary(`${kind}SharedMemory${action}`, { name: 'r' })).rejects.toMatchObject({
          code: 'UNSUPPORTED',
          message: "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable.",
        })
      }
    }
  })

  test('regions that are not there', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server, { sharedMemory: true })
    await expect(caller.unary('SystemSharedMemoryStatus', { name: 'r' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Unable to find system shared memory region: 'r'",
    })
    await expect(
      caller.unary('SystemSharedMemoryRegister', { name: 'r', key: '/triton_ts_nowhere', byte_size: 8 }),
    ).rejects.toMatchObject({ code: 'INTERNAL', message: "Unable to open shared memory region: '/triton_ts_nowhere'" })
    await expect(caller.unary('CudaSharedMemoryRegister', { name: 'g', byte_size: 8 })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: "failed to register CUDA shared memory region: 'g', GPUs not supported",
    })
    expect(await caller.unary('CudaSharedMemoryUnregister', { name: 'r' })).toEqual({})
    expect(await caller.unary('SystemSharedMemoryUnregister', {})).toEqual({})
  })
})

describe('trace settings', () => {
  test('are told, changed and taken back', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    const { settings } = await caller.unary('TraceSetting', {})
    expect(settings).toMatchObject({ trace_level: { value: ['OFF'] }, trace_rate: { value: ['1000'] } })
    const change = { trace_rate: { value: ['7'] }, trace_count: { value: ['9'] }, unknown: { value: ['x'] } }
    const changed = await caller.unary('TraceSetting', { settings: change, model_name: 'int32' })
    expect(changed.settings).toMatchObject({ trace_rate: { value: ['7'] }, trace_count: { value: ['9'] } })
    expect((await caller.unary('TraceSetting', {})).settings).toEqual(settings)
    const back = { settings: { trace_rate: {}, trace_count: {}, trace_level: {} }, model_name: 'int32' }
    expect((await caller.unary('TraceSetting', back)).settings).toEqual(settings)
  })

  test.each([
    [{ trace_rate: { value: ['1', '2'] } }, "expect only 1 value for 'trace_rate'"],
    [{ trace_rate: { value: ['x'] } }, "Unable to parse 'trace_rate', got: x"],
    [{ trace_level: { value: ['OFF', 'TENSORS'] } }, "Expect only one trace level 'OFF' is specified"],
    [{ trace_file: { value: ['f'] } }, 'trace file location can not be updated through network protocol'],
  ])('that cannot be are refused: %#', async (settings, text) => {
    await using fixture = await testServer()
    await expect(new Caller(fixture.server).unary('TraceSetting', { settings })).rejects.toThrow(text)
  })

  test('of a model that is not there', async () => {
    await using fixture = await testServer()
    await expect(new Caller(fixture.server).unary('TraceSetting', { model_name: 'nope' })).rejects.toThrow(
      'Request for unknown model : nope',
    )
  })
})

describe('log settings', () => {
  test('are told and changed', async () => {
    await using fixture = await testServer({ logger: tritonLog({ file: '/dev/null' }) })
    const caller = new Caller(fixture.server)
    const settings = {
      log_info: { bool_param: false },
      log_verbose_level: { uint32_param: 2 },
      log_format: { string_param: 'ISO8601' },
      unknown: { bool_param: true },
    }
    const now = await caller.unary('LogSettings', { settings })
    expect(now.settings).toMatchObject({
      log_file: { string_param: '/dev/null' },
      log_info: { bool_param: false },
      log_warning: { bool_param: true },
      log_error: { bool_param: true },
      log_verbose_level: { uint32_param: 2 },
      log_format: { string_param: 'ISO8601' },
    })
    expect(await caller.unary('LogSettings', {})).toEqual(now)
  })

  test.each([
    [{ log_info: { string_param: 'x' } }, "expect boolean for 'log_info'"],
    [{ log_verbose_level: { bool_param: true } }, "expect int32 for 'log_verbose_level'"],
    [{ log_format: { bool_param: true } }, "expect string for 'log_format'"],
    [{ log_format: { string_param: 'xml' } }, 'invalid argument for log_format, got: xml'],
    [
      { log_file: { string_param: '/tmp/x' }, log_info: { string_param: 'x' } },
      'log file location can not be updated through network protocol',
    ],
  ])('that cannot be are refused: %#', async (settings, text) => {
    await using fixture = await testServer({ logger: tritonLog({ file: '/dev/null' }) })
    await expect(new Caller(fixture.server).unary('LogSettings', { settings })).rejects.toThrow(text)
  })
})

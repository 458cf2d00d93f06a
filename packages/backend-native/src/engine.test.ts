import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Outputs, tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { backendDirectory, configText, NativeRig, nativeTest, parameterText } from './fixtures/native-rig.ts'
import { native } from './native.ts'

const int = (...values: number[]) => tensor('INT32', [values.length], Int32Array.from(values))
const values = (outputs: Outputs, name = 'OUTPUT') => [...((outputs[name]?.data ?? []) as Int32Array)]
const json = (outputs: Outputs) => JSON.parse(outputs.OUTPUT?.strings()[0] ?? '')

const oneToOne = (backend: string, output: string, more = '') => `
  backend: "${backend}"
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: ${output} dims: 1 }
  ${more}`

nativeTest('a library completes the configuration and prefers instances', async () => {
  await using rig = await NativeRig.start({ m: 'backend: "auto_complete"' })
  const config = rig.server.model('m').config
  expect(config.maxBatchSize).toBe(4)
  expect(config.input.map(({ name, dataType, dims }) => [name, dataType, dims])).toEqual([['INPUT0', 'TYPE_FP32', [4]]])
  expect(config.instanceGroup.map(({ kind, count }) => [kind, count])).toEqual([['KIND_CPU', 3]])
  const data = new Float32Array([1, 2, 3, 4])
  const { OUTPUT0 } = await rig.server.infer('m', { INPUT0: tensor('FP32', [1, 4], data) })
  expect(OUTPUT0?.data).toEqual(data)
})

nativeTest('implicit state', async () => {
  const state = `instance_group { count: 2 kind: KIND_CPU } sequence_batching { state {
    input_name: "INPUT_STATE" output_name: "OUTPUT_STATE" data_type: TYPE_INT32 dims: 1
    initial_state { name: "zero" data_type: TYPE_INT32 dims: 1 zero_data: true } } }`
  await using rig = await NativeRig.start({ m: oneToOne('state', 'TYPE_INT32', state) })
  const step = async (value: number, flags: { sequenceStart?: boolean; sequenceEnd?: boolean } = {}, id = 7) =>
    values(await rig.server.infer('m', { INPUT: int(value) }, { correlationId: id, ...flags }))
  expect(await step(1, { sequenceStart: true })).toEqual([1])
  expect(await step(10, { sequenceStart: true }, 8)).toEqual([10])
  expect(await step(2)).toEqual([3])
  expect(await step(3, { sequenceEnd: true })).toEqual([6])
  expect(await step(20, { sequenceEnd: true }, 8)).toEqual([30])
})

nativeTest('an iterative sequence is given back to the engine', async () => {
  const iterative = 'sequence_batching { iterative_sequence: true }'
  await using rig = await NativeRig.start({ m: oneToOne('reschedule', 'TYPE_INT32', iterative) })
  expect(values(await rig.server.infer('m', { INPUT: int(3) }))).toEqual([4])
  expect(values(await rig.server.infer('m', { INPUT: int(0) }))).toEqual([1])
})

nativeTest('a batching library beside the model decides what goes into a batch', async () => {
  const config = `backend: "batcher" max_batch_size: 8
    input { name: "INPUT0" data_type: TYPE_INT32 dims: 4 }
    output { name: "OUTPUT0" data_type: TYPE_INT32 dims: 4 }
    output { name: "REQUESTS" data_type: TYPE_INT32 dims: 1 }
    dynamic_batching { max_queue_delay_microseconds: 20000 }
    ${parameterText('MAX_BYTES', '48')}`
  const strategy = await readFile(join(backendDirectory, 'batching', 'batchstrategy.so'))
  await using rig = await NativeRig.start({ m: config }, {}, { 'm/batchstrategy.so': strategy })
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => rig.server.infer('m', { INPUT0: tensor('INT32', [1, 4], new Int32Array(4)) })),
  )
  expect(answers.map((outputs) => values(outputs, 'REQUESTS'))).toEqual(answers.map(() => [3]))
})

nativeTest('a Server prints the metrics of its libraries', async () => {
  await using rig = await NativeRig.start({ m: oneToOne('metrics', 'TYPE_STRING') }, { modelControl: 'explicit' })
  await rig.server.load('m')
  await rig.server.infer('m', { INPUT: int(1) })
  await rig.server.infer('m', { INPUT: int(1) })
  const text = rig.server.metrics()
  expect(text).toContain('# TYPE test_executes_total counter\ntest_executes_total{model="m"} 2')
  expect(text).toContain('test_count_bucket{model="m",le="1"} 2')
  expect(text).toContain('test_count_count{model="m"} 2')
  await rig.server.unload('m')
  // The engine answers the unload before the library is through with it.
  for (let tries = 0; tries < 1000 && rig.server.metrics().includes('test_'); tries++) await setImmediate()
  expect(rig.server.metrics()).not.toContain('test_')
})

nativeTest('what a library logs comes to the logger of the Server', async () => {
  const config = `backend: "threads" model_transaction_policy { decoupled: true }
    input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "OUT" data_type: TYPE_INT32 dims: 1 }`
  await using rig = await NativeRig.start({ m: config })
  const all: number[] = []
  for await (const outputs of rig.server.inferStream('m', { IN: int(10) })) all.push(...values(outputs, 'OUT'))
  expect(new Set(all).size).toBe(80)
  const lines = rig.log.filter(({ text }) => /^threads: level \d$/.test(text))
  expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(['info', 'warn', 'error']))
  expect(lines[0]?.fields).toMatchObject({ backend: 'threads' })
})

nativeTest('verbose messages reach the Server that wants them, no other', async () => {
  const config = {
    m: `backend: "threads" model_transaction_policy { decoupled: true }
      input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "OUT" data_type: TYPE_INT32 dims: 1 }`,
  }
  const levels = async (verbose: boolean) => {
    const backends = [native({ directory: backendDirectory, verbose })]
    await using rig = await NativeRig.start(config, { backends })
    for await (const _ of rig.server.inferStream('m', { IN: int(1) }));
    return rig.log.filter(({ text }) => text === 'threads: level 3 is enabled').map(({ level }) => level)
  }
  expect(await levels(true)).toEqual(['debug'])
  expect(await levels(false)).toEqual([])
})

nativeTest('a model runs another one', async () => {
  const bls = (target: string, more = '') => `${configText('bls', parameterText('target', target))} ${more}`
  const stream = `input { name: "IN" data_type: TYPE_INT32 dims: 1 } output { name: "OUT" data_type: TYPE_INT32 dims: 1 }
    model_transaction_policy { decoupled: true }`
  const optional = `input { name: "INPUT0" data_type: TYPE_INT32 dims: -1 optional: true }
    output { name: "OUTPUT0" data_type: TYPE_INT32 dims: -1 }`
  await using rig = await NativeRig.start({
    identity: configText('identity'),
    repeat: `backend: "repeat" ${stream}`,
    one: bls('identity'),
    none: bls('nobody'),
    silent: `backend: "identity" ${optional}`,
    quiet: `backend: "bls" ${optional} ${parameterText('target', 'silent')}`,
    two: bls('one'),
    many: `backend: "bls" ${stream} ${parameterText('target', 'repeat')} ${parameterText('mode', 'decoupled')}`,
    cancel: bls('identity', parameterText('mode', 'cancel')),
  })
  const run = (name: string) => rig.server.infer(name, { INPUT0: int(1, 2, 3) })
  expect(values(await run('one'), 'OUTPUT0')).toEqual([1, 2, 3])
  expect(values(await run('two'), 'OUTPUT0')).toEqual([1, 2, 3])
  await expect(run('none')).rejects.toThrow(/nobody/)
  // An answer without outputs is an answer.
  expect(await rig.server.infer('quiet', {})).toEqual({})
  const all: number[] = []
  for await (const outputs of rig.server.inferStream('many', { IN: int(4) })) all.push(...values(outputs, 'OUT'))
  expect(all).toEqual([0, 1, 2, 3])
  await Promise.all(Array.from({ length: 50 }, () => run('one')))
  // Whether it is answered or cancelled first is open, but it ends.
  await run('cancel').catch((error) => expect(error).toMatchObject({ code: 'CANCELLED' }))
})

nativeTest('a model asks the server', async () => {
  const control = `${parameterText('target', 'other')} ${parameterText('mode', 'control')}`
  await using rig = await NativeRig.start(
    { m: oneToOne('bls', 'TYPE_STRING', control), other: configText('identity') },
    { modelControl: 'explicit', loadModels: ['m'] },
  )
  const told = json(await rig.server.infer('m', { INPUT: int(1) }))
  expect(told).toMatchObject({
    ready_before: false,
    load: 'ok',
    ready_loaded: true,
    metadata: { name: 'triton' },
    model_metadata: { name: 'other', versions: ['1'], inputs: [{ name: 'INPUT0', datatype: 'INT32', shape: [-1] }] },
    model_config: { name: 'other', backend: 'identity', batch_input: [] },
    model_statistics: { model_stats: [{ name: 'other', version: '1', inference_count: 0 }] },
    batch: 1,
    transaction: 1,
    ready: true,
    metrics: true,
    unload: 'ok',
    load_unknown: "Internal: failed to load 'no such model', failed to poll from model repository",
  })
  expect(told.model_index).toEqual([
    { name: 'm', version: '1', state: 'READY' },
    { name: 'other', version: '1', state: 'READY' },
  ])
})

nativeTest('everything a library can ask of its own', async () => {
  await using rig = await NativeRig.start(
    { m: oneToOne('inspect', 'TYPE_STRING', 'instance_group { count: 1 kind: KIND_CPU }') },
    { backendConfig: { '': { everybody: 'x' }, inspect: { own: 'y' } }, hostPolicies: { cpu: { 'numa-node': '0' } } },
  )
  const told = json(await rig.server.infer('m', { INPUT: int(1) }, { id: 'r' }))
  expect(told.backend).toMatchObject({
    name: 'inspect',
    config: { cmdline: { 'auto-complete-config': 'true', 'default-max-batch-size': '4', everybody: 'x', own: 'y' } },
    artifacts: join(backendDirectory, 'inspect'),
  })
  expect(told.model).toMatchObject({
    name: 'm',
    version: 1,
    repository: join(rig.repository.path, 'm'),
    auto_complete: true,
    config: { name: 'm', batch_input: [], instance_group: [{ name: 'm_0', kind: 'KIND_CPU', count: 1 }] },
  })
  expect(told.instance).toMatchObject({
    name: 'm_0_0',
    kind: 'CPU',
    device: 0,
    host_policy: { cpu: { 'numa-node': '0' } },
    passive: false,
  })
  expect(told.request).toMatchObject({ id: 'r', correlation_id: 0, flags: 0, cancelled: false, traced: false })
  const [statistics] = rig.server.statistics('m')
  expect(statistics?.memoryUsage.every(({ byteSize }) => byteSize > 0)).toBe(true)
})

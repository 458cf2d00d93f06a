import { expect, test } from 'vitest'
import type { ModelConfig } from './model-config.ts'
import { parseModelConfig } from './parse-pbtxt.ts'
import { isEnum, isMessage, type MessageSchema } from './schema/field.ts'
import { modelConfigSchema } from './schema.ts'

test('names, keys and numbers are unique in every message, and every enum starts with its default', () => {
  const seen = new Set<MessageSchema>()
  const check = (schema: MessageSchema) => {
    if (seen.has(schema)) return
    seen.add(schema)
    expect(schema.byName.size).toBe(schema.fields.length)
    expect(schema.byKey.size).toBe(schema.fields.length)
    expect(new Set(schema.fields.map(({ number }) => number)).size).toBe(schema.fields.length)
    for (const { type } of schema.fields) {
      if (isMessage(type)) check(type)
      if (isEnum(type)) expect([...type.values.values()]).toEqual([...type.values.keys()].map((_, index) => index))
    }
  }
  check(modelConfigSchema)
})

const everything = `
  name: "n" platform: "p" backend: "b" runtime: "r" version_policy { specific { versions: [ 1 ] } } max_batch_size: 2
  input { name: "i" data_type: TYPE_FP32 format: FORMAT_NCHW dims: 3 reshape { shape: 3 } is_shape_tensor: true
          allow_ragged_batch: true optional: true is_non_linear_format_io: true }
  output { name: "o" data_type: TYPE_BOOL dims: 4 reshape { shape: 4 } label_filename: "l" is_shape_tensor: true
           is_non_linear_format_io: true }
  batch_input { kind: BATCH_ITEM_SHAPE target_name: "t" data_type: TYPE_INT32 source_input: "i" }
  batch_output { target_name: "o" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "i" }
  optimization {
    graph { level: 1 } priority: PRIORITY_MIN
    cuda { graphs: true busy_wait_events: true output_copy_stream: true graph_spec { batch_size: 1
      input { key: "i" value { dim: 3 } } graph_lower_bound { batch_size: 1 input { key: "i" value { dim: 1 } } } } }
    execution_accelerators { gpu_execution_accelerator { name: "tensorrt" parameters { key: "k" value: "v" } }
                             cpu_execution_accelerator { name: "openvino" } }
    input_pinned_memory { enable: true } output_pinned_memory { } gather_kernel_buffer_threshold: 5 eager_batching: true
  }
  sequence_batching {
    oldest { max_candidate_sequences: 1 preferred_batch_size: 2 max_queue_delay_microseconds: 3 preserve_ordering: true }
    max_sequence_idle_microseconds: 4 iterative_sequence: true
    control_input { name: "c" control { kind: CONTROL_SEQUENCE_CORRID int32_false_true: 0 fp32_false_true: 1.5
                                        bool_false_true: true data_type: TYPE_UINT64 } }
    state { input_name: "a" output_name: "b" data_type: TYPE_INT8 dims: 1 use_same_buffer_for_input_output: true
            use_growable_memory: true initial_state { data_type: TYPE_INT8 dims: 1 data_file: "f" name: "s" } }
  }
  instance_group { name: "g" kind: KIND_GPU count: 2 gpus: 0 profile: "1" passive: true host_policy: "h"
                   rate_limiter { resources { name: "r" global: true count: 3 } priority: 4 }
                   secondary_devices { kind: KIND_NVDLA device_id: 5 } }
  default_model_filename: "m" cc_model_filenames { key: "8.0" value: "f" } metric_tags { key: "k" value: "v" }
  parameters { key: "k" value { string_value: "v" } }
  model_warmup { name: "w" batch_size: 1 count: 2 inputs { key: "i" value { data_type: TYPE_FP32 dims: 3
                                                                           input_data_file: "f" } } }
  model_operations { op_library_filename: "lib" } model_transaction_policy { decoupled: true }
  model_repository_agents { agents { name: "a" parameters { key: "k" value: "v" } } } response_cache { enable: true }
  model_metrics { metric_control { metric_identifier { family: "f" } histogram_options { buckets: [ 0.1, 1 ] } } }
`

/** Typed, so that a key which the schema spells unlike the type is an error of the compiler or of the test. */
const expected: ModelConfig = {
  name: 'n',
  platform: 'p',
  backend: 'b',
  runtime: 'r',
  versionPolicy: { specific: { versions: [1] } },
  maxBatchSize: 2,
  input: [
    {
      name: 'i',
      dataType: 'TYPE_FP32',
      format: 'FORMAT_NCHW',
      dims: [3],
      reshape: { shape: [3] },
      isShapeTensor: true,
      allowRaggedBatch: true,
      optional: true,
      isNonLinearFormatIo: true,
    },
  ],
  output: [
    {
      name: 'o',
      dataType: 'TYPE_BOOL',
      dims: [4],
      reshape: { shape: [4] },
      labelFilename: 'l',
      isShapeTensor: true,
      isNonLinearFormatIo: true,
    },
  ],
  batchInput: [{ kind: 'BATCH_ITEM_SHAPE', targetName: ['t'], dataType: 'TYPE_INT32', sourceInput: ['i'] }],
  batchOutput: [{ targetName: ['o'], kind: 'BATCH_SCATTER_WITH_INPUT_SHAPE', sourceInput: ['i'] }],
  optimization: {
    graph: { level: 1 },
    priority: 'PRIORITY_MIN',
    cuda: {
      graphs: true,
      busyWaitEvents: true,
      graphSpec: [
        { batchSize: 1, input: { i: { dim: [3] } }, graphLowerBound: { batchSize: 1, input: { i: { dim: [1] } } } },
      ],
      outputCopyStream: true,
    },
    executionAccelerators: {
      gpuExecutionAccelerator: [{ name: 'tensorrt', parameters: { k: 'v' } }],
      cpuExecutionAccelerator: [{ name: 'openvino', parameters: {} }],
    },
    inputPinnedMemory: { enable: true },
    outputPinnedMemory: { enable: false },
    gatherKernelBufferThreshold: 5,
    eagerBatching: true,
  },
  sequenceBatching: {
    oldest: {
      maxCandidateSequences: 1,
      preferredBatchSize: [2],
      maxQueueDelayMicroseconds: 3,
      preserveOrdering: true,
    },
    maxSequenceIdleMicroseconds: 4,
    controlInput: [
      {
        name: 'c',
        control: [
          {
            kind: 'CONTROL_SEQUENCE_CORRID',
            int32FalseTrue: [0],
            fp32FalseTrue: [1.5],
            boolFalseTrue: [true],
            dataType: 'TYPE_UINT64',
          },
        ],
      },
    ],
    state: [
      {
        inputName: 'a',
        outputName: 'b',
        dataType: 'TYPE_INT8',
        dims: [1],
        initialState: [{ dataType: 'TYPE_INT8', dims: [1], dataFile: 'f', name: 's' }],
        useSameBufferForInputOutput: true,
        useGrowableMemory: true,
      },
    ],
    iterativeSequence: true,
  },
  instanceGroup: [
    {
      name: 'g',
      kind: 'KIND_GPU',
      count: 2,
      rateLimiter: { resources: [{ name: 'r', global: true, count: 3 }], priority: 4 },
      gpus: [0],
      secondaryDevices: [{ kind: 'KIND_NVDLA', deviceId: 5 }],
      profile: ['1'],
      passive: true,
      hostPolicy: 'h',
    },
  ],
  defaultModelFilename: 'm',
  ccModelFilenames: { '8.0': 'f' },
  metricTags: { k: 'v' },
  parameters: { k: { stringValue: 'v' } },
  modelWarmup: [
    { name: 'w', batchSize: 1, inputs: { i: { dataType: 'TYPE_FP32', dims: [3], inputDataFile: 'f' } }, count: 2 },
  ],
  modelOperations: { opLibraryFilename: ['lib'] },
  modelTransactionPolicy: { decoupled: true },
  modelRepositoryAgents: { agents: [{ name: 'a', parameters: { k: 'v' } }] },
  responseCache: { enable: true },
  modelMetrics: { metricControl: [{ metricIdentifier: { family: 'f' }, histogramOptions: { buckets: [0.1, 1] } }] },
}

test('every field has the name, place and type that ModelConfig gives it', () => {
  expect(parseModelConfig(everything).config).toEqual(expected)
})

test('so have the other members of the oneofs', () => {
  const dynamic = `version_policy { latest { num_versions: 2 } } dynamic_batching { preferred_batch_size: 1
    max_queue_delay_microseconds: 2 preserve_ordering: true priority_levels: 3 default_priority_level: 4
    default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5 allow_timeout_override: true
                           max_queue_size: 6 } priority_queue_policy { key: 1 value { } } }
    model_warmup { inputs { key: "z" value { zero_data: true } } inputs { key: "r" value { random_data: true } } }`
  const policy = { defaultTimeoutMicroseconds: 0, allowTimeoutOverride: false, maxQueueSize: 0 } as const
  const dynamicBatching: NonNullable<ModelConfig['dynamicBatching']> = {
    preferredBatchSize: [1],
    maxQueueDelayMicroseconds: 2,
    preserveOrdering: true,
    priorityLevels: 3,
    defaultPriorityLevel: 4,
    defaultQueuePolicy: {
      timeoutAction: 'DELAY',
      defaultTimeoutMicroseconds: 5,
      allowTimeoutOverride: true,
      maxQueueSize: 6,
    },
    priorityQueuePolicy: { '1': { timeoutAction: 'REJECT', ...policy } },
  }
  const { config } = parseModelConfig(dynamic)
  expect(config).toMatchObject({ versionPolicy: { latest: { numVersions: 2 } }, dynamicBatching })
  expect(config.modelWarmup[0]?.inputs).toEqual({
    z: { dataType: 'TYPE_INVALID', dims: [], zeroData: true },
    r: { dataType: 'TYPE_INVALID', dims: [], randomData: true },
  })
  const ensemble = parseModelConfig(`version_policy { all { } } ensemble_scheduling { max_inflight_requests: 1 step {
    model_name: "m" model_version: -1 input_map { key: "i" value: "t" } output_map { key: "o" value: "u" }
    model_namespace: "n" } }`).config
  const ensembleScheduling: NonNullable<ModelConfig['ensembleScheduling']> = {
    step: [{ modelName: 'm', modelVersion: -1, inputMap: { i: 't' }, outputMap: { o: 'u' }, modelNamespace: 'n' }],
    maxInflightRequests: 1,
  }
  expect(ensemble).toMatchObject({ versionPolicy: { all: {} }, ensembleScheduling })
  const direct =
    'sequence_batching { direct { max_queue_delay_microseconds: 1 minimum_slot_utilization: 0.5 } state { initial_state { zero_data: true } } }'
  const { sequenceBatching } = parseModelConfig(direct).config
  expect(sequenceBatching?.direct).toEqual({ maxQueueDelayMicroseconds: 1, minimumSlotUtilization: 0.5 })
  expect(sequenceBatching?.state[0]?.initialState[0]?.zeroData).toBe(true)
})

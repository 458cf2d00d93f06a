import { describe, expect, test } from 'vitest'
import { modelConfigFromObject } from './json.ts'
import type { ModelConfig, ModelConfigInput } from './model-config.ts'
import { normalizeModelConfig } from './normalize.ts'
import { normalizeInstanceGroups } from './normalize-instance-groups.ts'
import { validateInstanceGroups, validateModelConfig, validateModelIo } from './validate.ts'

type Check = (config: ModelConfig) => { readonly path?: string | undefined; readonly message: string }[]

const model = (input: ModelConfigInput): ModelConfig =>
  normalizeModelConfig(modelConfigFromObject({ name: 'm', backend: 'x', maxBatchSize: 8, ...input }))

/** `path: message` of every problem. */
const problemsOf = (check: Check, input: ModelConfigInput): string[] =>
  check(model(input)).map(({ path, message }) => `${path}: ${message}`)

describe('validateModelConfig', () => {
  const check = (input: ModelConfigInput) => problemsOf(validateModelConfig, input)

  test('a good configuration has no problems', () => {
    expect(check({ dynamicBatching: {}, platform: 'anything' })).toEqual([])
    expect(check({ backend: 'pytorch', platform: 'torch_aoti' })).toEqual([])
    expect(check({ maxBatchSize: 0, dynamicBatching: {} })).toEqual([])
  })

  test.each<[ModelConfigInput, string[]]>([
    [{ name: '' }, ["name: model configuration must specify 'name'"]],
    [{ backend: '', platform: 'p' }, ["platform: unexpected platform type 'p' for m"]],
    [
      { platform: 'ensemble', ensembleScheduling: undefined },
      [
        "backend: Ensemble model 'm' must have platform type 'ensemble' and empty backend type",
        'ensemble_scheduling: ensemble scheduling must be set for ensemble m whose platform is ensemble',
      ],
    ],
    [
      { backend: 'onnxruntime', platform: 'tensorrt_plan' },
      ["platform: unexpected 'platform' and 'backend' pair, got:tensorrt_plan, onnxruntime"],
    ],
    [
      { backend: 'pytorch', platform: 'libtorch' },
      ["platform: unexpected 'platform' and 'backend' pair, got:libtorch, pytorch"],
    ],
    [{ maxBatchSize: -1 }, ["max_batch_size: 'max_batch_size' must be non-negative value for m"]],
    [
      { modelTransactionPolicy: { decoupled: true }, responseCache: { enable: true } },
      [
        "response_cache: Response Cache does not currently support model m with 'decoupled' transaction policy. " +
          'Please disable the response cache.',
      ],
    ],
  ])('%j', (input, problems) => {
    expect(check(input)).toEqual(problems)
  })

  test('dynamic batching', () => {
    const path = 'dynamic_batching'
    expect(check({ dynamicBatching: { preferredBatchSize: [0, 16, -1, 8] } })).toEqual([
      `${path}.preferred_batch_size: dynamic batching preferred size must be positive for m`,
      `${path}.preferred_batch_size: dynamic batching preferred size must be <= max batch size for m`,
    ])
    expect(check({ maxBatchSize: 0, dynamicBatching: { preferredBatchSize: [1] } })).toEqual([
      `${path}.preferred_batch_size: dynamic batching preferred size must be <= max batch size for m`,
    ])
    expect(check({ dynamicBatching: { priorityLevels: 2, priorityQueuePolicy: { 0: {} } } })).toEqual([
      `${path}.default_priority_level: default priority level must be in range [1, 2] for m`,
      `${path}.priority_queue_policy["0"]: priority queue policy must have priority level in range [1, 2] for m`,
    ])
    const priorities = { priorityLevels: 2, defaultPriorityLevel: 5, priorityQueuePolicy: { 1: {}, 3: {} } }
    expect(check({ dynamicBatching: priorities })).toEqual([
      `${path}.default_priority_level: default priority level must be in range [1, 2] for m`,
      `${path}.priority_queue_policy["3"]: priority queue policy must have priority level in range [1, 2] for m`,
    ])
    const delay = { timeoutAction: 'DELAY', defaultTimeoutMicroseconds: 1 } as const
    const policies = {
      defaultQueuePolicy: delay,
      priorityQueuePolicy: { 1: delay, 2: { timeoutAction: 'DELAY' } },
    } as const
    const ordered = { preserveOrdering: true, priorityLevels: 2, defaultPriorityLevel: 1, ...policies } as const
    const noDelay = "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for m"
    expect(check({ dynamicBatching: ordered })).toEqual([
      `${path}.priority_levels: Only one priority level is allowed when 'preserve_ordering' is true for m`,
      `${path}.default_queue_policy: ${noDelay}`,
      `${path}.priority_queue_policy["1"]: ${noDelay}`,
    ])
  })

  test('sequence batching', () => {
    const sizes = { oldest: { preferredBatchSize: [0, 9] } }
    expect(check({ sequenceBatching: sizes, responseCache: { enable: true } })).toEqual([
      'response_cache: Response Cache does not currently support model m with sequence batching scheduler. ' +
        'Please disable the response cache.',
      'sequence_batching.oldest.preferred_batch_size: sequence batching preferred batch size must be positive for m',
      'sequence_batching.oldest.preferred_batch_size: sequence batching preferred batch size must be <= max batch ' +
        'size for m',
    ])
    expect(
      [-0.1, 0, 1, 1.1].map(
        (value) => check({ sequenceBatching: { direct: { minimumSlotUtilization: value } } }).length,
      ),
    ).toEqual([1, 0, 0, 1])
    expect(check({ sequenceBatching: { direct: { minimumSlotUtilization: 2 } } })).toEqual([
      'sequence_batching.direct.minimum_slot_utilization: sequence batching minimum slot utilization must be in ' +
        'range (0.0, 1.0] for m',
    ])
  })

  test('sequence controls', () => {
    const start = 'CONTROL_SEQUENCE_START'
    const correlationId = 'CONTROL_SEQUENCE_CORRID'
    const controls = (...controlInput: NonNullable<ModelConfigInput['sequenceBatching']>['controlInput'] & object) =>
      check({ sequenceBatching: { controlInput } }).map((text) => text.replace('sequence_batching.', ''))
    const good = { kind: start, int32FalseTrue: [0, 1] } as const
    expect(
      controls(
        { name: 's', control: [good] },
        { name: 'c', control: [{ kind: correlationId, dataType: 'TYPE_STRING' }] },
      ),
    ).toEqual([])
    expect(controls({ name: '', control: [good] })).toEqual([
      'control_input[0]: sequence batching control tensor must have a name for m',
    ])
    expect(controls({ name: 's' }, { name: 's' })).toEqual([
      "control_input[1]: sequence batching control tensor 's' is specified for multiple control kinds for m",
    ])
    expect(controls({ name: 's', control: [good, good] })).toEqual([
      `control_input[0].control[1]: sequence batching specifies multiple ${start} tensors for m`,
    ])
    expect(controls({ name: 's', control: [good] }, { name: 't', control: [good] })).toEqual([
      `control_input[1].control[0]: sequence batching specifies multiple ${start} tensors for m`,
    ])
    expect(controls({ name: 's', control: [{ kind: start }] })).toEqual([
      "control_input[0].control[0]: sequence batching must specify either 'int32_false_true', 'fp32_false_true' or " +
        `'bool_false_true' for ${start} for m`,
    ])
    expect(controls({ name: 's', control: [{ ...good, boolFalseTrue: [false, true] }] })).toEqual([
      "control_input[0].control[0]: sequence batching specifies more than one from 'int32_false_true', " +
        `'fp32_false_true' and 'bool_false_true' for ${start} for m`,
    ])
    const incomplete = { int32_false_true: { int32FalseTrue: [1] }, fp32_false_true: { fp32FalseTrue: [1] } }
    const tooLong = { bool_false_true: { boolFalseTrue: [false, true, true] } }
    for (const [field, values] of Object.entries({ ...incomplete, ...tooLong })) {
      expect(controls({ name: 's', control: [{ kind: start, ...values }] })).toEqual([
        `control_input[0].control[0]: sequence batching control '${field}' must have exactly 2 entries for ${start} for m`,
      ])
    }
    expect(
      controls({ name: 's', control: [{ kind: correlationId, int32FalseTrue: [1], dataType: 'TYPE_FP32' }] }),
    ).toEqual([
      "control_input[0].control[0]: sequence batching must not specify either 'int32_false_true', 'fp32_false_true' " +
        `or 'bool_false_true' for ${correlationId} for m`,
      `control_input[0].control[0].data_type: unexpected data type for control ${correlationId} for m. Allowed data ` +
        'types are TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING',
    ])
  })

  test('metrics', () => {
    const metricControl = [
      {},
      { metricIdentifier: {}, histogramOptions: {} },
      { metricIdentifier: { family: 'f' }, histogramOptions: { buckets: [1] } },
    ]
    expect(check({ modelMetrics: { metricControl } }).map((text) => text.replace('model_metrics.', ''))).toEqual([
      "metric_control[0]: metric control must specify 'metric_identifier'",
      "metric_control[0]: metric control must specify 'histogram_options'",
      "metric_control[1].metric_identifier.family: metric identifier must specify non-empty 'family'",
      "metric_control[1].histogram_options.buckets: histogram options must specify non-empty 'buckets'",
    ])
  })
})

describe('ensembles', () => {
  type Step = readonly [model: string, inputs: Record<string, string>, outputs: Record<string, string>]
  const check = (inputs: string[], outputs: string[], steps: readonly Step[], more: ModelConfigInput = {}) =>
    problemsOf(validateModelConfig, {
      backend: '',
      platform: 'ensemble',
      input: inputs.map((name) => ({ name })),
      output: outputs.map((name) => ({ name })),
      ensembleScheduling: {
        step: steps.map(([modelName, inputMap, outputMap]) => ({ modelName, inputMap, outputMap })),
      },
      ...more,
    })

  test('a chain and a diamond are fine', () => {
    expect(
      check(
        ['A'],
        ['Z'],
        [
          ['b', { i: 'q' }, { o: 'Z' }],
          ['a', { i: 'A' }, { o: 'q' }],
        ],
      ),
    ).toEqual([])
    const diamond: Step[] = [
      ['a', { i: 'A' }, { o: 'q', p: 'r' }],
      ['b', { i: 'q', j: 'q' }, { o: 's' }],
      ['c', { i: 'r', j: 's' }, { o: 'Z' }],
    ]
    expect(check(['A'], ['Z', 'q'], diamond)).toEqual([])
  })

  test('fields that only other models have', () => {
    const more: ModelConfigInput = {
      platform: 'p',
      backend: 'b',
      instanceGroup: [{}],
      optimization: {},
      modelWarmup: [{}],
      ensembleScheduling: {},
    }
    expect(check([], [], [], more)).toEqual([
      "platform: ensemble scheduling cannot be set for model 'm' whose platform is not ensemble",
      "instance_group: instance group should not be specified for ensemble 'm'",
      "optimization: optimization should not be specified for ensemble 'm'",
      "model_warmup: model_warmup can not be specified for ensemble 'm'",
      "ensemble_scheduling.step: must specify 'step' for ensemble 'm'",
    ])
  })

  test('incomplete steps', () => {
    const steps: Step[] = [
      ['', {}, {}],
      ['a', { i: 'A' }, { o: 'q', p: 'q' }],
    ]
    expect(check(['A'], ['q'], steps).map((text) => text.replace('ensemble_scheduling.', ''))).toEqual([
      "step[0].model_name: must specify 'model_name' in step 0 of ensemble 'm'",
      "step[0].input_map: must specify 'input_map' in step 0 of ensemble 'm'",
      "step[0].output_map: must specify 'output_map' in step 0 of ensemble 'm'",
      "step[1].output_map[\"p\"]: ensemble tensor 'q' can appear in an output map only once for ensemble 'm' step 1",
    ])
  })

  test('inputs and outputs that no step uses', () => {
    expect(check(['A', 'B'], ['Z', 'Y'], [['a', { i: 'A' }, { o: 'Z' }]])).toEqual([
      "input[1].name: ensemble input 'B' for ensemble m' is not used",
      "output[1].name: ensemble output 'Y' for ensemble m' is not used",
    ])
  })

  test('an output that is not written', () => {
    const unconnected: Step[] = [
      ['a', { i: 'A', j: 'ghost' }, { o: 'q' }],
      ['b', { i: 'q' }, { o: 'Z' }],
    ]
    expect(check(['A'], ['Z'], unconnected)).toEqual([
      "output[0].name: output 'Z' for ensemble 'm' is not written: at least one of its depending tensors, 'ghost', is " +
        'not connected',
    ])
    expect(check(['A'], ['G'], [['a', { i: 'A', j: 'G' }, { o: 'q' }]])).toEqual([
      "output[0].name: output 'G' for ensemble 'm' is not written",
    ])
    const cycle: Step[] = [
      ['a', { i: 'A', j: 'r' }, { o: 'q' }],
      ['b', { i: 'q' }, { o: 'r', p: 'Z' }],
    ]
    expect(check(['A'], ['Z'], cycle)).toEqual([
      "output[0].name: output 'Z' for ensemble 'm' is not written: at least one of its depending tensors, 'r', is " +
        'not connected',
    ])
  })

  test('a tensor that nobody uses', () => {
    expect(check(['A'], ['Z'], [['a', { i: 'A' }, { o: 'Z', p: 'left' }]])).toEqual([
      "ensemble_scheduling.step: ensemble tensor 'left' is unused in ensemble 'm'",
    ])
  })
})

describe('validateModelIo', () => {
  const tensor = { name: 'x', dataType: 'TYPE_FP32', dims: [16] } as const
  const check = (input: ModelConfigInput) => problemsOf(validateModelIo, input)
  const reshape = (dims: number[], shape: number[], maxBatchSize = 8) =>
    check({ maxBatchSize, input: [{ ...tensor, dims, reshape: { shape } }] })

  test('good tensors', () => {
    expect(
      check({ input: [tensor, { ...tensor, dims: [-1, 3, 4], format: 'FORMAT_NHWC' }], output: [tensor] }),
    ).toEqual([])
  })

  test('everything that is wrong at once', () => {
    const input = [
      { format: 'FORMAT_NCHW', isShapeTensor: true },
      { ...tensor, dims: [0, -2], isNonLinearFormatIo: true },
    ] as const
    expect(
      check({
        input,
        output: [
          { ...tensor, dims: [] },
          { name: 'y', dims: [1] },
        ],
      }),
    ).toEqual([
      "input[0].name: model input must specify 'name' for m",
      "input[0].data_type: model input '' must specify 'data_type' for m",
      "input[0].dims: model input '' must specify 'dims' for m",
      'input[0].format: model input NHWC/NCHW require 3 dims for m',
      'input[0].is_shape_tensor: shape tensors are only supported for TensorRT platform for m',
      "input[1].dims: model input 'x' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for m",
      'input[1].is_non_linear_format_io: Non-linear IO format is only supported for the TensorRT platform for m',
      "output[0].dims: model output 'x' must specify 'dims' for m",
      "output[1].data_type: model output 'y' must specify 'data_type' for m",
    ])
  })

  test('TensorRT', () => {
    const output = [{ ...tensor, isShapeTensor: true, isNonLinearFormatIo: true }]
    expect(check({ backend: 'tensorrt', platform: 'tensorrt_plan', output })).toEqual([
      'output[0].is_non_linear_format_io: Non-linear IO format output requires 3 dims for m',
    ])
  })

  test.each<[number[], number[], string]>([
    [[16], [5], 'has different size for dims and reshape'],
    [[-1], [4], 'has different size for dims and reshape'],
    [[2], [], 'has different size for dims and reshape'],
    [[-1, 2], [-1, -1], 'has different number of variable-size dimensions for dims and reshape'],
    [[2, -1, 3], [3, -1, 2], 'has different size for dims and reshape'],
    [[1], [0], 'reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension'],
  ])('reshape %j to %j', (dims, shape, text) => {
    expect(reshape(dims, shape)).toEqual([`input[0].reshape: model input 'x' ${text} for m`])
  })

  test('good reshapes', () => {
    expect(reshape([2, 4, -1, 6], [8, -1, 1, 6])).toEqual([])
    expect(reshape([16], [4, 4])).toEqual([])
    expect(reshape([1], [])).toEqual([])
  })

  test('an empty reshape needs batching', () => {
    expect(reshape([1], [], 0)).toEqual([
      "input[0].reshape: model input 'x' cannot have empty reshape for non-batching model as scalar tensors are not " +
        'supported for m',
    ])
  })

  test('more elements than 64 bits count', () => {
    const huge = [2 ** 32, 2 ** 31]
    expect(reshape(huge, [1])).toEqual([
      "input[0].reshape: element count for tensor 'x dims' exceeds maximum size of 9223372036854775807 for m",
    ])
    expect(reshape([-1, ...huge], [-1, ...huge])).toEqual([])
  })

  test('generated inputs and outputs', () => {
    const batchInput = [
      { kind: 'BATCH_ITEM_SHAPE', dataType: 'TYPE_INT32', sourceInput: ['x'] },
      { kind: 'BATCH_ELEMENT_COUNT', dataType: 'TYPE_FP16', sourceInput: ['x', 'nope'] },
      { kind: 9 as never, dataType: 'TYPE_FP32', sourceInput: [] },
    ] as const
    const batchOutput = [
      { targetName: ['y', 'y', 'nope'], sourceInput: [] },
      { kind: 9 as never, targetName: [], sourceInput: ['other'] },
    ]
    const output = [{ ...tensor, name: 'y' }]
    expect(check({ input: [tensor], output, batchInput, batchOutput })).toEqual([
      "batch_input[1].source_input: batch input kind 'BATCH_ELEMENT_COUNT' expects 1 source input, got 2 for m",
      'batch_input[1].data_type: batch input data type must be TYPE_INT32 or TYPE_FP32 for m',
      "batch_input[1].source_input: unknown source input name 'nope' for m",
      "batch_input[2].kind: unknown batch input kind '9' for m",
      "batch_output[0].source_input: batch output kind 'BATCH_SCATTER_WITH_INPUT_SHAPE' expects 1 source input, got 0 for m",
      "batch_output[0].target_name: target output name 'y' can only be specified once for m",
      "batch_output[0].target_name: unknown target output name 'nope' for m",
      "batch_output[1].kind: unknown batch output kind '9' for m",
      "batch_output[1].source_input: unknown source input name 'other' for m",
    ])
  })
})

describe('validateInstanceGroups', () => {
  const check = (instanceGroup: ModelConfigInput['instanceGroup'], gpus: number[] = [], more: ModelConfigInput = {}) =>
    validateInstanceGroups(normalizeInstanceGroups(model({ instanceGroup, ...more }), { gpus }), { gpus }).map(
      ({ path, message }) => `${path}: ${message}`,
    )

  test('good groups, and an ensemble that has none', () => {
    expect(check([{ count: 2 }, { kind: 'KIND_MODEL' }])).toEqual([])
    expect(check([{ gpus: [1] }, { kind: 'KIND_GPU' }], [0, 1])).toEqual([])
    expect(check([], [], { backend: '', platform: 'ensemble', ensembleScheduling: {} })).toEqual([])
  })

  test('a group is needed', () => {
    expect(validateInstanceGroups(model({}), { gpus: [] })).toEqual([
      { message: "must specify one or more 'instance group's for m", path: 'instance_group' },
    ])
  })

  test('GPUs', () => {
    expect(check([{ kind: 'KIND_GPU' }])).toEqual([
      'instance_group[0].gpus: instance group m_0 of model m has kind KIND_GPU but no GPUs are available',
    ])
    const facts = { gpus: [0], minComputeCapability: 7.5 }
    const unnormalized = model({ instanceGroup: [{ name: 'g', kind: 'KIND_GPU' }, { name: 'a' }] })
    expect(validateInstanceGroups(unnormalized, facts).map(({ message }) => message)).toEqual([
      'instance group g of model m has kind KIND_GPU but specifies no GPUs',
      'instance group a of model m has unexpected kind KIND_AUTO',
    ])
    expect(check([{ kind: 'KIND_GPU', gpus: [0] }])).toEqual([
      'instance_group[0].gpus: instance group m_0 of model m specifies invalid or unsupported gpu id 0. GPUs with at ' +
        'least the minimum required CUDA compute compatibility of 6.000000 are: ',
    ])
    expect(check([{ kind: 'KIND_GPU', gpus: [0, 5] }], [0, 1])).toEqual([
      'instance_group[0].gpus: instance group m_0 of model m specifies invalid or unsupported gpu id 5. GPUs with at ' +
        'least the minimum required CUDA compute compatibility of 6.000000 are: 0, 1',
    ])
    expect(
      check(
        [
          { kind: 'KIND_CPU', gpus: [0] },
          { kind: 'KIND_MODEL', gpus: [0] },
        ],
        [0],
      ),
    ).toEqual([
      'instance_group[0].gpus: instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs',
      'instance_group[1].gpus: instance group m_1 of model m has kind KIND_MODEL but specifies one or more GPUs',
    ])
  })

  test('a count beyond all machines', () => {
    expect(check([{ kind: 'KIND_CPU', count: 65_536 }])).toEqual([])
    expect(check([{ kind: 'KIND_CPU', count: 65_537 }])).toEqual([
      'instance_group[0].count: instance group m_0 of model m has count 65537, more than the 65536 that are possible',
    ])
  })

  test('profiles', () => {
    const group = [{ kind: 'KIND_CPU', profile: ['1', '-1', 'x', ''] }] as const
    expect(check(group, [], { platform: 'p' })).toEqual([
      'instance_group[0].profile: instance group m_0 of model m and platform pspecifies profile field which is only ' +
        'supported for TensorRT models',
    ])
    expect(check(group, [], { platform: 'tensorrt_plan', backend: 'tensorrt' })).toEqual([
      'instance_group[0].profile: instance group m_0 of model m and platform tensorrt_plan specifies invalid profile ' +
        '-1. The field should contain the string representation of a non-negative integer.',
      "instance_group[0].profile: unable to parse 'x': stoi",
      'instance_group[0].profile: profile name must not be empty',
    ])
  })
})

import { expect, test } from 'vitest'
import { parseModelConfig } from './parse-pbtxt.ts'
import { modelConfigToJson } from './to-json.ts'

const json = (text: string) => modelConfigToJson(parseModelConfig(text).config)

test('scalars, lists and maps are there at their default, messages only where they are set', () => {
  expect(json('')).toEqual({
    name: '',
    platform: '',
    backend: '',
    runtime: '',
    max_batch_size: 0,
    input: [],
    output: [],
    batch_input: [],
    batch_output: [],
    instance_group: [],
    default_model_filename: '',
    cc_model_filenames: {},
    metric_tags: {},
    parameters: {},
    model_warmup: [],
  })
})

test('a richer configuration, with the members of oneofs that are set', () => {
  const text = `
    optimization { priority: PRIORITY_MAX execution_accelerators { } input_pinned_memory { } }
    dynamic_batching {
      preferred_batch_size: [ 4, 8 ] priority_levels: 3
      default_queue_policy { default_timeout_microseconds: 5000000 max_queue_size: 64 }
      priority_queue_policy { key: 1 value { timeout_action: DELAY } }
    }
    parameters { key: "note" value { string_value: "hello \\"quoted\\"" } }
    model_warmup { name: "w" inputs { key: "x" value { dims: [ 4 ] zero_data: false } } }`
  const result = json(text)
  expect(result.optimization).toEqual({
    priority: 'PRIORITY_MAX',
    execution_accelerators: { gpu_execution_accelerator: [], cpu_execution_accelerator: [] },
    input_pinned_memory: { enable: false },
    gather_kernel_buffer_threshold: 0,
    eager_batching: false,
  })
  const policy = { allow_timeout_override: false, max_queue_size: 0 }
  expect(result.dynamic_batching).toEqual({
    preferred_batch_size: [4, 8],
    max_queue_delay_microseconds: 0,
    preserve_ordering: false,
    priority_levels: 3,
    default_priority_level: 0,
    default_queue_policy: {
      ...policy,
      timeout_action: 'REJECT',
      default_timeout_microseconds: 5_000_000,
      max_queue_size: 64,
    },
    priority_queue_policy: { '1': { ...policy, timeout_action: 'DELAY', default_timeout_microseconds: 0 } },
  })
  expect(result.parameters).toEqual({ note: { string_value: 'hello "quoted"' } })
  expect(result.model_warmup).toEqual([
    { name: 'w', batch_size: 0, inputs: { x: { data_type: 'TYPE_INVALID', dims: [4], zero_data: false } }, count: 0 },
  ])
})

test('the 64-bit integers that Triton leaves as text', () => {
  const result = json(`
    instance_group { secondary_devices { device_id: 7 } }
    optimization { cuda { graph_spec { input { key: "x" value { dim: [ 1, 9223372036854775807 ] } }
                                       graph_lower_bound { input { key: "x" value { dim: 1 } } } } } }
    sequence_batching { state { dims: 3 initial_state { dims: 3 } } }`)
  expect(result).toMatchObject({
    instance_group: [{ secondary_devices: [{ kind: 'KIND_NVDLA', device_id: '7' }] }],
    optimization: {
      cuda: {
        graph_spec: [
          {
            input: { x: { dim: ['1', '9223372036854775807'] } },
            graph_lower_bound: { input: { x: { dim: ['1'] } } },
          },
        ],
      },
    },
    sequence_batching: { state: [{ dims: [3], initial_state: [{ dims: ['3'] }] }] },
  })
})

test('numbers without a JSON form, and enum numbers without a name', () => {
  const metrics = 'model_metrics { metric_control { histogram_options { buckets: [ inf, nan ] } } }'
  expect(json(metrics)).toMatchObject({
    model_metrics: { metric_control: [{ histogram_options: { buckets: ['Infinity', 'NaN'] } }] },
  })
  expect(json('input { data_type: 99 }')).toMatchObject({ input: [{ data_type: 99 }] })
})

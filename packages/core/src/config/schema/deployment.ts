import { choice, enumeration, list, map, message, single, textInJson } from './field.ts'

export const versionPolicy = message('ModelVersionPolicy', {
  latest: choice('policy_choice', 1, message('ModelVersionPolicy.Latest', { num_versions: single(1, 'uint32') })),
  all: choice('policy_choice', 2, message('ModelVersionPolicy.All', {})),
  specific: choice('policy_choice', 3, message('ModelVersionPolicy.Specific', { versions: list(1, 'int64') })),
})

const resource = message('ModelRateLimiter.Resource', {
  name: single(1, 'string'),
  global: single(2, 'bool'),
  count: single(3, 'uint32'),
})

const rateLimiter = message('ModelRateLimiter', { resources: list(1, resource), priority: single(2, 'uint32') })

const secondaryDevice = message('ModelInstanceGroup.SecondaryDevice', {
  kind: single(1, enumeration('ModelInstanceGroup.SecondaryDevice.SecondaryDeviceKind', ['KIND_NVDLA'])),
  device_id: textInJson(single(2, 'int64')),
})

export const instanceGroup = message('ModelInstanceGroup', {
  name: single(1, 'string'),
  kind: single(4, enumeration('ModelInstanceGroup.Kind', ['KIND_AUTO', 'KIND_GPU', 'KIND_CPU', 'KIND_MODEL'])),
  count: single(2, 'int32'),
  rate_limiter: single(6, rateLimiter),
  gpus: list(3, 'int32'),
  secondary_devices: list(8, secondaryDevice),
  profile: list(5, 'string'),
  passive: single(7, 'bool'),
  host_policy: single(9, 'string'),
})

const shape = message('ModelOptimizationPolicy.Cuda.GraphSpec.Shape', { dim: textInJson(list(1, 'int64')) })

const lowerBound = message('ModelOptimizationPolicy.Cuda.GraphSpec.LowerBound', {
  batch_size: single(1, 'int32'),
  input: map(2, 'string', shape),
})

const graphSpec = message('ModelOptimizationPolicy.Cuda.GraphSpec', {
  batch_size: single(1, 'int32'),
  input: map(2, 'string', shape),
  graph_lower_bound: single(3, lowerBound),
})

const cuda = message('ModelOptimizationPolicy.Cuda', {
  graphs: single(1, 'bool'),
  busy_wait_events: single(2, 'bool'),
  graph_spec: list(3, graphSpec),
  output_copy_stream: single(4, 'bool'),
})

const accelerator = message('ModelOptimizationPolicy.ExecutionAccelerators.Accelerator', {
  name: single(1, 'string'),
  parameters: map(2, 'string', 'string'),
})

const executionAccelerators = message('ModelOptimizationPolicy.ExecutionAccelerators', {
  gpu_execution_accelerator: list(1, accelerator),
  cpu_execution_accelerator: list(2, accelerator),
})

const pinnedMemory = message('ModelOptimizationPolicy.PinnedMemoryBuffer', { enable: single(1, 'bool') })

export const optimizationPolicy = message('ModelOptimizationPolicy', {
  graph: single(1, message('ModelOptimizationPolicy.Graph', { level: single(1, 'int32') })),
  priority: single(
    2,
    enumeration('ModelOptimizationPolicy.ModelPriority', ['PRIORITY_DEFAULT', 'PRIORITY_MAX', 'PRIORITY_MIN']),
  ),
  cuda: single(3, cuda),
  execution_accelerators: single(4, executionAccelerators),
  input_pinned_memory: single(5, pinnedMemory),
  output_pinned_memory: single(6, pinnedMemory),
  gather_kernel_buffer_threshold: single(7, 'uint32'),
  eager_batching: single(8, 'bool'),
})

const agent = message('ModelRepositoryAgents.Agent', {
  name: single(1, 'string'),
  parameters: map(2, 'string', 'string'),
})

export const repositoryAgents = message('ModelRepositoryAgents', { agents: list(1, agent) })

const metricControl = message('ModelMetrics.MetricControl', {
  metric_identifier: single(1, message('ModelMetrics.MetricControl.MetricIdentifier', { family: single(1, 'string') })),
  histogram_options: choice(
    'metric_options',
    2,
    message('ModelMetrics.MetricControl.HistogramOptions', { buckets: list(1, 'double') }),
  ),
})

export const modelMetrics = message('ModelMetrics', { metric_control: list(1, metricControl) })

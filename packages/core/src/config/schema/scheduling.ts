import { choice, enumeration, hideDefault, list, map, message, single, textInJson } from './field.ts'
import { dataType } from './tensors.ts'

const queuePolicy = message('ModelQueuePolicy', {
  timeout_action: single(1, enumeration('ModelQueuePolicy.TimeoutAction', ['REJECT', 'DELAY'])),
  default_timeout_microseconds: single(2, 'uint64'),
  allow_timeout_override: single(3, 'bool'),
  max_queue_size: single(4, 'uint32'),
})

export const dynamicBatching = message('ModelDynamicBatching', {
  preferred_batch_size: list(1, 'int32'),
  max_queue_delay_microseconds: single(2, 'uint64'),
  preserve_ordering: single(3, 'bool'),
  priority_levels: single(4, 'uint64'),
  default_priority_level: single(5, 'uint64'),
  default_queue_policy: single(6, queuePolicy),
  priority_queue_policy: map(7, 'uint64', queuePolicy),
})

const direct = message('ModelSequenceBatching.StrategyDirect', {
  max_queue_delay_microseconds: single(1, 'uint64'),
  minimum_slot_utilization: single(2, 'float'),
})

const oldest = message('ModelSequenceBatching.StrategyOldest', {
  max_candidate_sequences: single(1, 'int32'),
  preferred_batch_size: list(2, 'int32'),
  max_queue_delay_microseconds: single(3, 'uint64'),
  preserve_ordering: single(4, 'bool'),
})

const control = message('ModelSequenceBatching.Control', {
  kind: single(
    1,
    enumeration('ModelSequenceBatching.Control.Kind', [
      'CONTROL_SEQUENCE_START',
      'CONTROL_SEQUENCE_READY',
      'CONTROL_SEQUENCE_END',
      'CONTROL_SEQUENCE_CORRID',
    ]),
  ),
  int32_false_true: list(2, 'int32'),
  fp32_false_true: list(3, 'float'),
  bool_false_true: list(5, 'bool'),
  data_type: single(4, dataType),
})

const controlInput = message('ModelSequenceBatching.ControlInput', {
  name: single(1, 'string'),
  control: list(2, control),
})

const initialState = message('ModelSequenceBatching.InitialState', {
  data_type: single(1, dataType),
  dims: textInJson(list(2, 'int64')),
  zero_data: choice('state_data', 3, 'bool'),
  data_file: choice('state_data', 4, 'string'),
  name: single(5, 'string'),
})

const state = message('ModelSequenceBatching.State', {
  input_name: single(1, 'string'),
  output_name: single(2, 'string'),
  data_type: single(3, dataType),
  dims: list(4, 'int64'),
  initial_state: list(5, initialState),
  use_same_buffer_for_input_output: single(6, 'bool'),
  use_growable_memory: single(7, 'bool'),
})

export const sequenceBatching = message('ModelSequenceBatching', {
  direct: choice('strategy_choice', 3, direct),
  oldest: choice('strategy_choice', 4, oldest),
  max_sequence_idle_microseconds: single(1, 'uint64'),
  control_input: list(2, controlInput),
  state: list(5, state),
  iterative_sequence: single(6, 'bool'),
})

const step = message('ModelEnsembling.Step', {
  model_name: single(1, 'string'),
  model_version: single(2, 'int64'),
  input_map: map(3, 'string', 'string'),
  output_map: map(4, 'string', 'string'),
  model_namespace: single(5, 'string'),
})

export const ensembleScheduling = message('ModelEnsembling', {
  step: list(1, step),
  max_inflight_requests: hideDefault(single(2, 'uint32')),
})

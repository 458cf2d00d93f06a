import { choice, enumeration, list, map, message, single } from './field.ts'

/** `TYPE_BYTES` is the protocol's name for it; configurations in the wild use it for TYPE_STRING. */
export const dataType = enumeration(
  'DataType',
  [
    'TYPE_INVALID',
    'TYPE_BOOL',
    'TYPE_UINT8',
    'TYPE_UINT16',
    'TYPE_UINT32',
    'TYPE_UINT64',
    'TYPE_INT8',
    'TYPE_INT16',
    'TYPE_INT32',
    'TYPE_INT64',
    'TYPE_FP16',
    'TYPE_FP32',
    'TYPE_FP64',
    'TYPE_STRING',
    'TYPE_BF16',
  ],
  { TYPE_BYTES: 'TYPE_STRING' },
)

const reshape = message('ModelTensorReshape', { shape: list(1, 'int64') })

export const modelInput = message('ModelInput', {
  name: single(1, 'string'),
  data_type: single(2, dataType),
  format: single(3, enumeration('ModelInput.Format', ['FORMAT_NONE', 'FORMAT_NHWC', 'FORMAT_NCHW'])),
  dims: list(4, 'int64'),
  reshape: single(5, reshape),
  is_shape_tensor: single(6, 'bool'),
  allow_ragged_batch: single(7, 'bool'),
  optional: single(8, 'bool'),
  is_non_linear_format_io: single(9, 'bool'),
})

export const modelOutput = message('ModelOutput', {
  name: single(1, 'string'),
  data_type: single(2, dataType),
  dims: list(3, 'int64'),
  reshape: single(5, reshape),
  label_filename: single(4, 'string'),
  is_shape_tensor: single(6, 'bool'),
  is_non_linear_format_io: single(7, 'bool'),
})

export const batchInput = message('BatchInput', {
  kind: single(
    1,
    enumeration('BatchInput.Kind', [
      'BATCH_ELEMENT_COUNT',
      'BATCH_ACCUMULATED_ELEMENT_COUNT',
      'BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO',
      'BATCH_MAX_ELEMENT_COUNT_AS_SHAPE',
      'BATCH_ITEM_SHAPE',
      'BATCH_ITEM_SHAPE_FLATTEN',
    ]),
  ),
  target_name: list(2, 'string'),
  data_type: single(3, dataType),
  source_input: list(4, 'string'),
})

export const batchOutput = message('BatchOutput', {
  target_name: list(1, 'string'),
  kind: single(2, enumeration('BatchOutput.Kind', ['BATCH_SCATTER_WITH_INPUT_SHAPE'])),
  source_input: list(3, 'string'),
})

const warmupInput = message('ModelWarmup.Input', {
  data_type: single(1, dataType),
  dims: list(2, 'int64'),
  zero_data: choice('input_data_type', 3, 'bool'),
  random_data: choice('input_data_type', 4, 'bool'),
  input_data_file: choice('input_data_type', 5, 'string'),
})

export const modelWarmup = message('ModelWarmup', {
  name: single(1, 'string'),
  batch_size: single(2, 'uint32'),
  inputs: map(3, 'string', warmupInput),
  count: single(4, 'uint32'),
})

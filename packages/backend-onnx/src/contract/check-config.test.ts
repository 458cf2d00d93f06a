import type { DataType } from '@triton-ts/core'
import { type OnnxTensorInfo, onnxModel, type RepositoryFiles } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { contract, type ExecutorKind, failedLoad } from './executors.ts'

/** What the model file has, and what the configuration says of it. */
interface Case {
  readonly model: Uint8Array
  readonly config: string
}

const info = (name: string, shape: OnnxTensorInfo['shape'], datatype: DataType = 'FP32') => ({ name, datatype, shape })

/** Every output is made of the first input; only the signature counts here. */
const model = (inputs: readonly OnnxTensorInfo[], outputs: readonly OnnxTensorInfo[]) =>
  onnxModel({
    inputs,
    outputs,
    nodes: outputs.map(({ name, datatype }) => ({
      op: datatype === inputs[0]?.datatype ? 'Identity' : 'Cast',
      inputs: [inputs[0]?.name ?? ''],
      outputs: [name],
      ...(datatype !== inputs[0]?.datatype && { attributes: { to: castTo[datatype] ?? 1 } }),
    })),
  })

/** Codes of `TensorProto.DataType`. Source: onnx.proto. */
const castTo: Partial<Record<DataType, number>> = { FP32: 1, INT32: 6 }

/** One input A and one output B of the same shape. */
const same = (...shape: OnnxTensorInfo['shape']) => model([info('A', shape)], [info('B', shape)])

const input = (name: string, dims: string, type = 'FP32', more = '') =>
  `input { name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ] ${more} }`
const output = (name: string, dims: string, type = 'FP32', more = '') =>
  `output { name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ] ${more} }`
const both = (dims: string, more = '') => `${input('A', dims, 'FP32', more)} ${output('B', dims, 'FP32', more)}`
const batch = (size: number) => `max_batch_size: ${size}`

const ragged = 'allow_ragged_batch: true'
const flat = 'reshape { shape: [ ] }'

const fitting: Readonly<Record<string, Case>> = {
  'equal shapes': { model: same(2, 3), config: both('2, 3') },
  'a batch dimension': { model: same('n', 2, 3), config: `${batch(4)} ${both('2, 3')}` },
  'variable dimensions': { model: same('n', 3), config: both('-1, 3') },
  'a fixed size for a variable input': { model: same('n'), config: `${input('A', '5')} ${output('B', '-1')}` },
  'scalars as [1]': { model: same(), config: both('1') },
  reshape: { model: same('n'), config: `${batch(2)} ${both('1', flat)}` },
  'no inputs, which are completed': { model: same(1), config: output('B', '1') },
}

const control = (name: string, kind: string, more: string) =>
  `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} ${more} } }`
const start = control('START', 'START', 'int32_false_true: [ 0, 1 ]')
const corrid = control('ID', 'CORRID', 'data_type: TYPE_UINT64')
const state = 'state { input_name: "S" output_name: "T" data_type: TYPE_INT32 dims: 1 }'
const sequence = (text: string) => `${batch(1)} ${both('1')} sequence_batching { ${text} }`
const row = ['n', 1] as const
const withControls = (...more: OnnxTensorInfo[]) => model([info('A', row), ...more], [info('B', row)])
const described = `${batch(4)} ${input('A', '-1', 'FP32', ragged)} ${output('B', '3')}
  batch_input { kind: BATCH_ELEMENT_COUNT target_name: [ "N", "M" ] data_type: TYPE_INT32 source_input: "A" }`
const provided = (...inputs: OnnxTensorInfo[]) => model([info('A', ['n']), ...inputs], [info('B', ['m', 3])])

const refused: Readonly<Record<string, Case & { readonly message: string }>> = {
  'number of inputs': {
    model: model([info('A', [1]), info('C', [1])], [info('B', [1])]),
    config: both('1'),
    message: "unable to load model 'm', configuration expects 1 inputs, model provides 2",
  },
  'input name': {
    model: same(1),
    config: `${input('X', '1')} ${output('B', '1')}`,
    message: "unexpected inference input 'X', allowed inputs are: A",
  },
  'output name': {
    model: same(1),
    config: `${input('A', '1')} ${output('X', '1')}`,
    message: "unexpected inference output 'X', allowed outputs are: B",
  },
  'input type': {
    model: same(1),
    config: `${input('A', '1', 'INT8')} ${output('B', '1')}`,
    message:
      "unable to load model 'm', configuration expects datatype TYPE_INT8 for input 'A', model provides TYPE_FP32",
  },
  'output type': {
    model: same(1),
    config: `${input('A', '1')} ${output('B', '1', 'STRING')}`,
    message:
      "unable to load model 'm', configuration expects datatype TYPE_STRING for output 'B', model provides TYPE_FP32",
  },
  'dimensions without batching': {
    model: same(17),
    config: both('16'),
    message:
      "model 'm', tensor 'A': the model expects 1 dimensions (shape [17]) but the model configuration specifies 1 dimensions (shape [16])",
  },
  'dimensions with batching': {
    model: same('n', 16),
    config: `${batch(8)} ${both('17')}`,
    message:
      "model 'm', tensor 'A': the model expects 2 dimensions (shape [-1,16]) but the model configuration specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape [-1,17])",
  },
  'another rank': {
    model: same(2, 3),
    config: both('6'),
    message:
      "model 'm', tensor 'A': the model expects 2 dimensions (shape [2,3]) but the model configuration specifies 1 dimensions (shape [6])",
  },
  'a variable output of fixed size': {
    model: same('n'),
    config: both('5'),
    message:
      "model 'm', tensor 'B': the model expects 1 dimensions (shape [-1]) but the model configuration specifies 1 dimensions (shape [5])",
  },
  'a model without batch dimension': {
    model: same(16),
    config: `${batch(8)} ${both('16')}`,
    message:
      "model 'm', tensor 'A': for the model to support batching the shape should have at least 1 dimension and the first dimension must be -1; but shape expected by the model is [16]",
  },
  'a scalar of more than one element': {
    model: same(),
    config: both('2'),
    message:
      "unable to load model 'm', scalar tensor 'A', should only provide 1 in the model configuration when the model doesn't support batching. Model configuration provided: [2].",
  },
  'an optional input with batching': {
    model: same('n', 4),
    config: `${batch(2)} ${input('A', '4')} ${input('C', '4', 'FP32', 'optional: true')} ${output('B', '4')}`,
    message: "unable to load model 'm', optional input 'C' is not supported for models that support batching",
  },
  'a ragged input with more dimensions': {
    model: same('n', 3),
    config: `${batch(2)} ${input('A', '3', 'FP32', ragged)} ${output('B', '3')}`,
    message:
      "unable to load model 'm', configuration expects model provides input with shape [-1]  for ragged input 'A', model provides [-1,3]",
  },
  'number of batch inputs': {
    model: provided(info('N', ['k'], 'INT32')),
    config: described,
    message: "unable to load model 'm', configuration expects 3 inputs, model provides 2",
  },
  'name of a batch input': {
    model: provided(info('N', ['k'], 'INT32'), info('L', ['l'], 'INT32')),
    config: described,
    message: "unexpected inference input 'M', allowed inputs are: A, L, N",
  },
  'type of a batch input': {
    model: provided(info('N', ['k']), info('M', ['l'], 'INT32')),
    config: described,
    message:
      "unable to load model 'm', configuration expects datatype TYPE_INT32 for batch input 'N', model provides TYPE_FP32",
  },
  'missing control': {
    model: withControls(info('ID', row, 'UINT64')),
    config: sequence(`${start} ${corrid}`),
    message: "configuration specified sequence control 'START', but model does not provide that input",
  },
  'dims of a control': {
    model: withControls(info('START', ['n', 2], 'INT32'), info('ID', row, 'UINT64')),
    config: sequence(`${start} ${corrid}`),
    message: "unable to load model 'm', sequence control 'START' in model has dims [2] but dims [1] is expected",
  },
  'type of a control': {
    model: withControls(info('START', row), info('ID', row, 'UINT64')),
    config: sequence(`${start} ${corrid}`),
    message:
      "unable to load model 'm', sequence control 'START', the model expects data-type FLOAT but the model configuration specifies data-type TYPE_INT32",
  },
  'missing state': {
    model: withControls(info('S', row, 'INT32')),
    config: sequence(state),
    message: "unexpected inference output 'T', allowed outputs are: B",
  },
  'type of a state': {
    model: model([info('A', row), info('S', row, 'INT32')], [info('B', row), info('T', row)]),
    config: sequence(state),
    message:
      "unable to load model 'm', configuration expects datatype TYPE_INT32 for output state 'T', model provides TYPE_FP32",
  },
}

async function load(kind: ExecutorKind, { model, config }: Case, disableAutoComplete: boolean): Promise<string> {
  const files: RepositoryFiles = {
    'm/1/model.onnx': model,
    'm/config.pbtxt': `backend: "onnxruntime" ${config} instance_group { kind: KIND_CPU count: 1 }`,
  }
  return failedLoad(kind, files, { disableAutoComplete })
}

contract((kind) => {
  test.each(Object.entries(fitting))('%s: fits', async (_, entry) => {
    expect(await load(kind, entry, false)).toBe('loaded')
  })

  // Without auto-completion, whose own errors would come first.
  test.each(Object.entries(refused))("%s: refused in Triton's words", async (_, { message, ...entry }) => {
    expect(await load(kind, entry, true)).toContain(message)
  })
})

import type { ModelConfig } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { checkConfig } from './check-config.ts'
import type { ModelSignature, TensorInfo } from './onnx-executor.ts'
import { inputConfig, modelConfig, outputConfig } from './test-support.ts'

const info = (name: string, shape: readonly number[], datatype: TensorInfo['datatype'] = 'FP32') => ({
  name,
  datatype,
  shape,
})

const signature = (fields: Partial<ModelSignature>): ModelSignature => ({
  inputs: [],
  outputs: [],
  initializers: [],
  initializerNames: [],
  ...fields,
})

/** A model of one input and one output of the same type and shape. */
const model = (shape: readonly number[]) => signature({ inputs: [info('A', shape)], outputs: [info('B', shape)] })

const config = (dims: readonly number[], fields: Partial<ModelConfig> = {}): ModelConfig =>
  modelConfig({
    input: [inputConfig('A', 'TYPE_FP32', dims)],
    output: [outputConfig('B', 'TYPE_FP32', dims)],
    ...fields,
  })

const failure = (candidate: ModelConfig, candidateModel: ModelSignature): string => {
  try {
    checkConfig(candidate, candidateModel)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('what fits', () => {
  test.each<[string, ModelConfig, ModelSignature]>([
    ['equal shapes', config([2, 3]), model([2, 3])],
    ['with a batch dimension', config([2, 3], { maxBatchSize: 4 }), model([-1, 2, 3])],
    ['variable dimensions', config([-1, 3]), model([-1, 3])],
    ['a fixed size for a variable input', config([5], { output: [] }), model([-1])],
    ['scalars as [1]', config([1]), model([])],
    [
      'reshape',
      config([1], {
        maxBatchSize: 2,
        input: [inputConfig('A', 'TYPE_FP32', [1], { reshape: { shape: [] } })],
        output: [outputConfig('B', 'TYPE_FP32', [1], { reshape: { shape: [] } })],
      }),
      model([-1]),
    ],
    [
      'a ragged input',
      config([3], { input: [inputConfig('A', 'TYPE_FP32', [3], { allowRaggedBatch: true })], output: [] }),
      model([-1]),
    ],
    [
      'an optional input',
      config([4], {
        input: [inputConfig('A', 'TYPE_FP32', [4]), inputConfig('C', 'TYPE_FP32', [4], { optional: true })],
      }),
      { ...model([4]), initializers: [info('C', [4])], initializerNames: ['C'] },
    ],
  ])('%s', (_, candidate, candidateModel) => {
    expect(failure(candidate, candidateModel)).toBe('')
  })
})

describe("what does not fit, in Triton's words", () => {
  test.each<[string, ModelConfig, ModelSignature, string]>([
    [
      'number of inputs',
      config([1], { input: [] }),
      model([1]),
      "unable to load model 'm', configuration expects 0 inputs, model provides 1",
    ],
    [
      'input name',
      config([1], { input: [inputConfig('X', 'TYPE_FP32', [1])] }),
      { ...model([1]), initializerNames: ['C'] },
      "unexpected inference input 'X', allowed inputs are: A, C",
    ],
    [
      'output name',
      config([1], { output: [outputConfig('X', 'TYPE_FP32', [1])] }),
      model([1]),
      "unexpected inference output 'X', allowed outputs are: B",
    ],
    [
      'input type',
      config([1], { input: [inputConfig('A', 'TYPE_INT8', [1])] }),
      model([1]),
      "unable to load model 'm', configuration expects datatype TYPE_INT8 for input 'A', model provides TYPE_FP32",
    ],
    [
      'output type',
      config([1], { output: [outputConfig('B', 'TYPE_STRING', [1])] }),
      model([1]),
      "unable to load model 'm', configuration expects datatype TYPE_STRING for output 'B', model provides TYPE_FP32",
    ],
    [
      'a type that Triton does not know',
      config([1]),
      signature({ inputs: [{ name: 'A', datatype: undefined, shape: [1] }] }),
      "unable to load model 'm', configuration expects datatype TYPE_FP32 for input 'A', model provides TYPE_<invalid>",
    ],
    [
      'no type',
      config([1], { input: [inputConfig('A', 'TYPE_INVALID', [1])] }),
      model([1]),
      "unsupported datatype TYPE_INVALID for input 'A' for model 'm'",
    ],
    [
      'dimensions without batching',
      config([16]),
      model([17]),
      "model 'm', tensor 'A': the model expects 1 dimensions (shape [17]) but the model configuration specifies 1 dimensions (shape [16])",
    ],
    [
      'dimensions with batching',
      config([17], { maxBatchSize: 8 }),
      model([-1, 16]),
      "model 'm', tensor 'A': the model expects 2 dimensions (shape [-1,16]) but the model configuration specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape [-1,17])",
    ],
    [
      'a variable output of fixed size',
      config([5]),
      model([-1]),
      "model 'm', tensor 'B': the model expects 1 dimensions (shape [-1]) but the model configuration specifies 1 dimensions (shape [5])",
    ],
    [
      'a model without batch dimension',
      config([16], { maxBatchSize: 8 }),
      model([16]),
      "model 'm', tensor 'A': for the model to support batching the shape should have at least 1 dimension and the first dimension must be -1; but shape expected by the model is [16]",
    ],
    [
      'a scalar of more than one element',
      config([2]),
      model([]),
      "unable to load model 'm', scalar tensor 'A', should only provide 1 in the model configuration when the model doesn't support batching. Model configuration provided: [2].",
    ],
    [
      'an optional input with batching',
      config([4], {
        maxBatchSize: 2,
        input: [inputConfig('A', 'TYPE_FP32', [4]), inputConfig('C', 'TYPE_FP32', [4], { optional: true })],
      }),
      model([-1, 4]),
      "unable to load model 'm', optional input 'C' is not supported for models that support batching",
    ],
    [
      'a ragged input with more dimensions',
      config([3], { input: [inputConfig('A', 'TYPE_FP32', [3], { allowRaggedBatch: true })] }),
      model([-1, 3]),
      "unable to load model 'm', configuration expects model provides input with shape [-1]  for ragged input 'A', model provides [-1,3]",
    ],
  ])('%s', (_, candidate, candidateModel, message) => {
    expect(failure(candidate, candidateModel)).toBe(message)
  })
})

describe('batch inputs', () => {
  const ragged = inputConfig('A', 'TYPE_FP32', [-1], { allowRaggedBatch: true })
  const described = config([3], {
    maxBatchSize: 4,
    input: [ragged],
    batchInput: [{ kind: 'BATCH_ELEMENT_COUNT', targetName: ['N', 'M'], dataType: 'TYPE_INT32', sourceInput: ['A'] }],
  })
  const provided = (...names: string[]) =>
    signature({
      inputs: [info('A', [-1]), ...names.map((name) => info(name, [-1], 'INT32'))],
      outputs: [info('B', [-1, 3])],
    })

  test('every target is an input of the model', () => {
    expect(failure(described, provided('N', 'M'))).toBe('')
    expect(failure(described, provided('N'))).toBe(
      "unable to load model 'm', configuration expects 3 inputs, model provides 2",
    )
    expect(failure(described, provided('N', 'L'))).toBe("unexpected inference input 'M', allowed inputs are: A, L, N")
  })

  test('of another type than the model has are refused', () => {
    const candidate = signature({
      inputs: [info('A', [-1]), info('N', [-1], 'FP32'), info('M', [-1], 'INT32')],
      outputs: [info('B', [-1, 3])],
    })
    expect(failure(described, candidate)).toBe(
      "unable to load model 'm', configuration expects datatype TYPE_INT32 for batch input 'N', model provides TYPE_FP32",
    )
  })
})

describe('sequence batching', () => {
  const control = (name: string, kind: 'CONTROL_SEQUENCE_START' | 'CONTROL_SEQUENCE_CORRID', int32: number[] = []) => ({
    name,
    control: [{ kind, int32FalseTrue: int32, fp32FalseTrue: [], boolFalseTrue: [], dataType: 'TYPE_UINT64' as const }],
  })
  const sequence = (fields: Partial<NonNullable<ModelConfig['sequenceBatching']>>) =>
    config([1], {
      maxBatchSize: 1,
      sequenceBatching: {
        maxSequenceIdleMicroseconds: 0,
        controlInput: [control('START', 'CONTROL_SEQUENCE_START', [0, 1]), control('ID', 'CONTROL_SEQUENCE_CORRID')],
        state: [],
        iterativeSequence: false,
        ...fields,
      },
    })
  const state = {
    inputName: 'S',
    outputName: 'T',
    dataType: 'TYPE_INT32',
    dims: [1],
    initialState: [],
    useSameBufferForInputOutput: false,
    useGrowableMemory: false,
  } as const
  const controls = [info('START', [-1, 1], 'INT32'), info('ID', [-1, 1], 'UINT64')]
  const withControls = (inputs: readonly TensorInfo[], outputs: readonly TensorInfo[] = []) =>
    signature({ inputs: [info('A', [-1, 1]), ...inputs], outputs: [info('B', [-1, 1]), ...outputs] })

  test('controls and states are inputs too', () => {
    expect(failure(sequence({}), withControls(controls))).toBe('')
    const inputs = [...controls, info('S', [-1, 1], 'INT32')]
    expect(failure(sequence({ state: [state] }), withControls(inputs, [info('T', [-1, 1], 'INT32')]))).toBe('')
  })

  test.each<[string, ModelConfig, ModelSignature, string]>([
    [
      'missing control',
      sequence({}),
      withControls([]),
      "configuration specified sequence control 'START', but model does not provide that input",
    ],
    [
      'dims of a control',
      sequence({}),
      withControls([info('START', [-1, 2], 'INT32'), info('ID', [-1, 1], 'UINT64')]),
      "unable to load model 'm', sequence control 'START' in model has dims [2] but dims [1] is expected",
    ],
    [
      'type of a control',
      sequence({}),
      withControls([info('START', [-1, 1], 'FP32'), info('ID', [-1, 1], 'UINT64')]),
      "unable to load model 'm', sequence control 'START', the model expects data-type FLOAT but the model configuration specifies data-type TYPE_INT32",
    ],
    [
      'missing state',
      sequence({ state: [state] }),
      withControls([...controls, info('S', [-1, 1], 'INT32')]),
      "unexpected inference output 'T', allowed outputs are: B",
    ],
  ])('%s', (_, candidate, candidateModel, message) => {
    expect(failure(candidate, candidateModel)).toBe(message)
  })
})

import { describe, expect, test } from 'vitest'
import type { DataType } from './data-type.ts'
import type { InferRequest } from './infer-request.ts'
import type { InputSignature, ModelSignature } from './model-signature.ts'
import { Tensor, tensor } from './tensor.ts'
import { validateRequest } from './validate-request.ts'

const input = (name: string, datatype: DataType, dims: readonly number[], more: Partial<InputSignature> = {}) => ({
  name,
  datatype,
  dims,
  reshape: undefined,
  optional: false,
  ...more,
})

function signature(maxBatchSize: number, ...inputs: InputSignature[]): ModelSignature {
  const output = { name: 'OUT', datatype: 'FP32' as const, dims: [4], reshape: undefined }
  return {
    modelName: 'm',
    maxBatchSize,
    inputs: new Map(inputs.map((each) => [each.name, each])),
    outputs: new Map([['OUT', output]]),
    outputNames: ['OUT'],
    requiredInputs: inputs.filter(({ optional }) => !optional).length,
    decoupled: false,
    answersInOrder: false,
    priorityLevels: 0,
    defaultPriority: 0,
    sequence: undefined,
  }
}

const floats = (...shape: number[]) =>
  Tensor.fromBytes('FP32', shape, new Uint8Array(4 * shape.reduce((a, b) => a * b, 1)))

const check = (model: ModelSignature, inputs: Record<string, Tensor>, more: Partial<InferRequest> = {}) =>
  validateRequest(model, { inputs: Object.entries(inputs).map(([name, tensor]) => ({ name, tensor })), ...more })

const pair = signature(8, input('A', 'FP32', [4]), input('B', 'FP32', [4]))

test('a good request keeps its tensors, finds its batch size and asks for all outputs', () => {
  const a = floats(2, 4)
  const valid = check(pair, { A: a, B: floats(2, 4) })
  expect(valid.inputs.get('A')).toBe(a)
  expect(valid.batchSize).toBe(2)
  expect(valid.requestedOutputs).toEqual(['OUT'])
})

describe("Triton's texts", () => {
  const note = 'NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension'
  test.each<[string, () => unknown, string]>([
    [
      'missing input',
      () => check(pair, { A: floats(1, 4) }),
      "[request id: <id_unknown>] expected 2 inputs but got 1 inputs for model 'm'. Got input(s) ['A'], but missing required input(s) ['B']. Please provide all required input(s).",
    ],
    [
      'input too many',
      () => check(pair, { A: floats(1, 4), B: floats(1, 4), C: floats(1, 4) }, { id: '7' }),
      "[request id: 7] expected 2 inputs but got 3 inputs for model 'm'. Got input(s) ['C','B','A'], but missing required input(s) ]. Please provide all required input(s).",
    ],
    [
      'optional input missing',
      () => check(signature(0, input('A', 'FP32', [4]), input('B', 'FP32', [4], { optional: true })), {}),
      "[request id: <id_unknown>] expected number of inputs between 1 and 2 but got 0 inputs for model 'm'. Got input(s) [], but missing required input(s) ['A']. Please provide all required input(s).",
    ],
    [
      'unknown input',
      () => check(pair, { A: floats(1, 4), X: floats(1, 4) }),
      "unexpected inference input 'X' for model 'm'",
    ],
    ['unknown output', () => check(pair, {}, { outputs: ['NO'] }), "unexpected inference output 'NO' for model 'm'"],
    [
      'output twice',
      () => check(pair, {}, { outputs: ['OUT', 'OUT'] }),
      "[request id: <id_unknown>] output 'OUT' already exists in request",
    ],
    [
      'no batch dimension',
      () => check(signature(8, input('A', 'FP32', [4])), { A: floats() }),
      "[request id: <id_unknown>] input 'A' has no shape but model requires batch dimension for 'm'",
    ],
    [
      'batch sizes differ',
      () => check(pair, { A: floats(1, 4), B: floats(2, 4) }),
      "[request id: <id_unknown>] input 'A' batch size does not match other inputs for 'm'",
    ],
    [
      'batch too big',
      () => check(pair, { A: floats(9, 4), B: floats(9, 4) }),
      "[request id: <id_unknown>] inference request batch-size must be <= 8 for 'm'",
    ],
    [
      'wrong type',
      () => check(pair, { A: floats(1, 4), B: tensor('INT32', [1, 4], new Int32Array(4)) }),
      "[request id: <id_unknown>] inference input 'B' data-type is 'INT32', but model 'm' expects 'FP32'",
    ],
    [
      'open dimension',
      () => check(pair, { A: floats(1, 4), B: Tensor.fromBytes('FP32', [1, -1], new Uint8Array(4)) }),
      "[request id: <id_unknown>] All input dimensions should be specified for input 'B' for model 'm', got [1,-1]",
    ],
    [
      'wrong shape',
      () => check(pair, { A: floats(1, 4), B: floats(1, 5) }),
      `[request id: <id_unknown>] unexpected shape for input 'B' for model 'm'. Expected [-1,4], got [1,5]. ${note}`,
    ],
    [
      'wrong shape without batching',
      () => check(signature(0, input('A', 'FP32', [-1, 3])), { A: floats(2, 4) }),
      "[request id: <id_unknown>] unexpected shape for input 'A' for model 'm'. Expected [-1,3], got [2,4]. ",
    ],
    [
      'wrong number of bytes',
      () => check(signature(0, input('A', 'FP32', [4])), { A: Tensor.fromBytes('FP32', [4], new Uint8Array(15)) }),
      "[request id: <id_unknown>] input byte size mismatch for input 'A' for model 'm'. Expected 16, got 15",
    ],
    [
      'batch of 0 expects the bytes of one item',
      () => check(signature(8, input('A', 'FP32', [4])), { A: floats(0, 4) }),
      "[request id: <id_unknown>] input byte size mismatch for input 'A' for model 'm'. Expected 16, got 0",
    ],
    [
      'string length cut short',
      () => check(signature(0, input('A', 'BYTES', [1])), { A: Tensor.fromBytes('BYTES', [1], new Uint8Array(3)) }),
      "[request id: <id_unknown>] incomplete string length indicator for inference input 'A' for model 'm', expecting 4 bytes but only 3 bytes available. Please make sure the string length indicator is in one buffer.",
    ],
    [
      'string cut short',
      () =>
        check(signature(0, input('A', 'BYTES', [1])), {
          A: Tensor.fromBytes('BYTES', [1], new Uint8Array([5, 0, 0, 0, 1, 2])),
        }),
      "incomplete string data for inference input 'A', expecting string of length 5 but only 2 bytes available",
    ],
    [
      'strings too many',
      () => check(signature(0, input('A', 'BYTES', [1])), { A: Tensor.fromBytes('BYTES', [1], new Uint8Array(8)) }),
      "[request id: <id_unknown>] unexpected number of string elements 2 for inference input 'A' for model 'm', expecting 1",
    ],
    [
      'strings too few',
      () => check(signature(0, input('A', 'BYTES', [2])), { A: Tensor.fromBytes('BYTES', [2], new Uint8Array(4)) }),
      "[request id: <id_unknown>] expected 2 string elements for inference input 'A' for model 'm', got 1",
    ],
  ])('%s', (_, run, text) => {
    expect(run).toThrow(text)
    expect(run).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }))
  })

  test('an input twice', () => {
    const inputs = [
      { name: 'A', tensor: floats(1, 4) },
      { name: 'A', tensor: floats(1, 4) },
    ]
    expect(() => validateRequest(pair, { inputs })).toThrow(
      "[request id: <id_unknown>] input 'A' already exists in request",
    )
  })
})

test.each([[[-3, 4]], [[1.5, 4]], [[2 ** 60, 2 ** 60]], [[Number.NaN, 4]]])('absurd shape %j is refused', (shape) => {
  const model = signature(0, input('A', 'FP32', [-1, -1]))
  expect(() => check(model, { A: Tensor.fromBytes('FP32', shape, new Uint8Array(16)) })).toThrow(/shape|byte size/)
})

test('a batch of 0 with the bytes of one item is one item', () => {
  const A = Tensor.fromBytes('FP32', [0, 4], new Uint8Array(16))
  const alone = check(signature(8, input('A', 'FP32', [4])), { A })
  expect([alone.batchSize, alone.inputs.get('A')?.shape]).toEqual([1, [1, 4]])
})

test('a batch of 0 beside another is that of the other, with its bytes', () => {
  const B = Tensor.fromBytes('FP32', [0, 4], new Uint8Array(32))
  const both = check(pair, { A: floats(2, 4), B })
  expect([both.batchSize, both.inputs.get('A')?.shape, both.inputs.get('B')?.shape]).toEqual([2, [2, 4], [2, 4]])
})

test('reshape gives the backend its own shape', () => {
  const model = signature(4, input('A', 'FP32', [-1, 2], { reshape: [2, -1, 1] }))
  expect(check(model, { A: floats(3, 5, 2) }).inputs.get('A')?.shape).toEqual([3, 2, 5, 1])
})

describe('raw input', () => {
  const raw = (model: ModelSignature, bytes: number) =>
    validateRequest(model, { inputs: [], rawInput: new Uint8Array(bytes) })
  test('the open dimension comes from the size', () => {
    expect(raw(signature(8, input('A', 'FP32', [-1, 2])), 24).inputs.get('A')?.shape).toEqual([1, 3, 2])
  })
  test('a BYTES input is one element', () => {
    const made = raw(signature(0, input('A', 'BYTES', [1])), 3).inputs.get('A')
    expect([...(made?.bytes ?? [])]).toEqual([3, 0, 0, 0, 0, 0, 0])
  })
  test.each<[string, ModelSignature, string]>([
    [
      'two inputs',
      pair,
      "Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in 'm' model configuration",
    ],
    [
      'two open dimensions',
      signature(0, input('A', 'FP32', [-1, -1])),
      "The shape of the raw input 'A' can not be deduced because there are more than one variable-sized dimension",
    ],
    [
      'BYTES of many',
      signature(0, input('A', 'BYTES', [-1])),
      "For BYTE datatype raw input 'A', the model must have input shape [1]",
    ],
    [
      'wrong number of bytes',
      signature(0, input('A', 'FP32', [3])),
      "input byte size mismatch for input 'raw_input' for model 'm'. Expected 12, got 8",
    ],
  ])('%s', (_, model, text) => {
    expect(() => raw(model, 8)).toThrow(`[request id: <id_unknown>] ${text}`)
  })
})

describe('the correlation id', () => {
  const model = (datatype: DataType): ModelSignature => ({
    ...signature(0, input('A', 'FP32', [4])),
    sequence: { isIterative: false, correlationIdControl: { name: 'CORRID', datatype } },
  })
  const send = (datatype: DataType, correlationId: InferRequest['correlationId']) => () =>
    check(model(datatype), { A: floats(4) }, { id: '7', correlationId })

  test.each<[DataType, InferRequest['correlationId'], string]>([
    ['BYTES', 5, 'UINT64'],
    ['BYTES', 5n, 'UINT64'],
    ['BYTES', undefined, 'UINT64'],
    ['UINT64', 'five', 'BYTES'],
    ['INT32', '', 'BYTES'],
  ])('for a CORRID of %s may not be %s', (datatype, id, got) => {
    expect(send(datatype, id)).toThrow(
      `[request id: 7] sequence batching control 'CORRID' data-type is '${got}', but model 'm' expects '${datatype}'`,
    )
  })

  test.each<[DataType, InferRequest['correlationId']]>([
    ['BYTES', 'five'],
    ['UINT64', 5],
    ['INT64', 2n ** 64n - 1n],
    ['UINT32', undefined],
    ['INT32', 0],
  ])('for a CORRID of %s may be %s', (datatype, id) => {
    expect(send(datatype, id)).not.toThrow()
  })

  test('may be of either sort where the model is not told it', () => {
    const untold = { ...pair, sequence: { isIterative: false, correlationIdControl: undefined } }
    for (const correlationId of ['five', 5]) {
      expect(() => check(untold, { A: floats(1, 4), B: floats(1, 4) }, { correlationId })).not.toThrow()
    }
  })
})

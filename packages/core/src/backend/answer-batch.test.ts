import { describe, expect, test } from 'vitest'
import { answerBatch } from './answer-batch.ts'
import { configOf, floats, request, valuesOf } from './fixtures/batch.ts'

const plain = configOf(`max_batch_size: 8
  input { name: "A" data_type: TYPE_FP32 dims: 1 }
  output { name: "X" data_type: TYPE_FP32 dims: 1 } output { name: "Y" data_type: TYPE_FP32 dims: 1 }`)

const scatter = configOf(`max_batch_size: 8
  input { name: "A" data_type: TYPE_FP32 dims: [ -1, 2 ] allow_ragged_batch: true }
  output { name: "X" data_type: TYPE_FP32 dims: [ -1, 1 ] }
  output { name: "Y" data_type: TYPE_FP32 dims: [ 9 ] reshape { shape: [ -1, -1, 1 ] } }
  batch_output { kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: "X" source_input: "A" }
  batch_output { kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: "Y" source_input: "A" }`)

const stateful = configOf(`max_batch_size: 8
  input { name: "A" data_type: TYPE_FP32 dims: 1 }
  output { name: "X" data_type: TYPE_FP32 dims: 1 }
  sequence_batching {
    state { input_name: "S_IN" output_name: "S" data_type: TYPE_FP32 dims: 1 }
    state { input_name: "X_IN" output_name: "X" data_type: TYPE_FP32 dims: 1 }
    state { input_name: "Z_IN" output_name: "Z" data_type: TYPE_FP32 dims: 1 }
  }`)

const row = (...values: number[]) => floats([values.length, 1], ...values)

describe('along the batch dimension', () => {
  test('each request gets its rows of the outputs it asked for', () => {
    const requests = [request({ A: row(1) }, ['X', 'Y']), request({ A: row(2, 3) }, ['Y'])]
    answerBatch(plain, requests, { X: row(1, 2, 3), Y: row(4, 5, 6) })
    expect(requests.map(({ outputs }) => Object.keys(outputs ?? {}))).toEqual([['X', 'Y'], ['Y']])
    expect(valuesOf(requests[0]?.outputs?.X)).toEqual([1])
    expect(requests[1]?.outputs?.Y?.shape).toEqual([2, 1])
    expect(valuesOf(requests[1]?.outputs?.Y)).toEqual([5, 6])
  })

  test('rows beyond those of the batch are left out', () => {
    const requests = [request({ A: row(1) }, ['X'])]
    answerBatch(plain, requests, { X: row(1, 2, 3) })
    expect(requests[0]?.outputs?.X?.shape).toEqual([1, 1])
  })

  test('where rows are missing, only the requests without theirs fail', () => {
    const requests = [
      request({ A: row(1) }, ['X']),
      request({ A: row(2, 3) }, ['X']),
      request({ A: row(4) }, ['Y']),
      request({ A: row(5) }, ['X', 'Y']),
    ]
    answerBatch(plain, requests, { X: row(1, 2), Y: row(1, 2, 3, 4, 5) })
    expect(valuesOf(requests[0]?.outputs?.X)).toEqual([1])
    expect(valuesOf(requests[2]?.outputs?.Y)).toEqual([4])
    expect(requests[1]?.error).toMatchObject({
      code: 'UNSUPPORTED',
      message:
        "[request id: <id_unknown>] failed to split the output tensor 'X' in responses: expected batch size of at least 3 in model output, got 2",
    })
    expect(requests[3]?.error?.message).toContain('at least 5 in model output, got 2')
    expect(requests.map(({ outputs }) => outputs !== undefined)).toEqual([true, false, true, false])
  })

  test('without batching the request gets the outputs as they are', () => {
    const [one] = [request({ A: floats([3], 1, 2, 3) }, ['X'], 0)]
    const X = floats([5], 1, 2, 3, 4, 5)
    answerBatch({ ...plain, maxBatchSize: 0 }, [one], { X })
    expect(one.outputs?.X).toBe(X)
  })
})

describe('BATCH_SCATTER_WITH_INPUT_SHAPE', () => {
  const inputs = [floats([1, 2, 2], 1, 2, 3, 4), floats([2, 1, 2], 5, 6, 7, 8)]

  test('variable dimensions are those of the source at the same place, the batch included', () => {
    const requests = inputs.map((A) => request({ A }, ['X', 'Y']))
    answerBatch(scatter, requests, { X: floats([4], 1, 2, 3, 4), Y: floats([8], 1, 2, 3, 4, 5, 6, 7, 8) })
    expect(requests.map(({ outputs }) => outputs?.X?.shape)).toEqual([
      [1, 2, 1],
      [2, 1, 1],
    ])
    expect(requests.map(({ outputs }) => valuesOf(outputs?.X))).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect(requests.map(({ outputs }) => outputs?.Y?.shape)).toEqual([
      [1, 2, 2, 1],
      [2, 1, 2, 1],
    ])
  })

  test('one request alone is cut as well', () => {
    const one = request({ A: inputs[0] as never }, ['X'])
    answerBatch(scatter, [one], { X: floats([3], 1, 2, 3) })
    expect(one.outputs?.X?.shape).toEqual([1, 2, 1])
    expect(valuesOf(one.outputs?.X)).toEqual([1, 2])
  })

  test('where elements are missing, only the requests without theirs fail', () => {
    const requests = inputs.map((A) => request({ A }, ['X']))
    answerBatch(scatter, requests, { X: floats([3], 1, 2, 3) })
    expect(valuesOf(requests[0]?.outputs?.X)).toEqual([1, 2])
    expect(requests[1]?.error).toMatchObject({
      code: 'UNSUPPORTED',
      message:
        "[request id: <id_unknown>] failed to split the output tensor 'X' in responses: expected at least 4 elements in model output, got 3",
    })
  })

  test('a source of fewer dimensions than the output is an error', () => {
    const one = request({ A: floats([1, 2], 1, 2) }, ['Y'])
    expect(() => answerBatch(scatter, [one], { Y: floats([2], 1, 2) })).toThrow(
      "output 'Y' has 4 dimensions to be scattered by, but its source input 'A' has 2",
    )
  })

  test('without batching the dimensions stand for themselves', () => {
    const one = request({ A: floats([3, 2], 1, 2, 3, 4, 5, 6) }, ['X'], 0)
    answerBatch({ ...scatter, maxBatchSize: 0 }, [one], { X: floats([3], 1, 2, 3) })
    expect(one.outputs?.X?.shape).toEqual([3, 1])
  })
})

describe('states', () => {
  test('go to the sequence, and into the answer only where they are asked for', () => {
    const requests = [request({ A: row(1) }, ['X']), request({ A: row(2) }, [])]
    answerBatch(stateful, requests, { S: row(7, 8), X: row(1, 2) })
    expect(requests.map(({ states }) => Object.keys(states))).toEqual([
      ['S', 'X'],
      ['S', 'X'],
    ])
    expect(requests.map(({ states }) => valuesOf(states.S))).toEqual([[7], [8]])
    expect(requests.map(({ outputs }) => Object.keys(outputs ?? {}))).toEqual([['X'], []])
  })

  test('may have another type and shape than the request', () => {
    const one = request({ A: row(1) }, [])
    answerBatch(stateful, [one], { S: floats([1, 2, 2], 1, 2, 3, 4) })
    expect(one.states.S?.shape).toEqual([1, 2, 2])
  })

  test('without batching are the outputs themselves', () => {
    const one = request({ A: floats([1], 1) }, [], 0)
    const S = floats([4], 1, 2, 3, 4)
    answerBatch({ ...stateful, maxBatchSize: 0 }, [one], { S })
    expect(one.states.S).toBe(S)
  })

  test('a request without its rows of one state keeps the others as they are too', () => {
    const requests = [request({ A: row(1) }, []), request({ A: row(2) }, [])]
    answerBatch(stateful, requests, { S: row(7, 8), Z: row(9) })
    expect(requests.map(({ states }) => Object.keys(states))).toEqual([['S', 'Z'], []])
    expect(requests[1]?.error?.message).toContain("state tensor 'Z'")
  })

  test('a request without its rows fails, and its sequence keeps what it has', () => {
    const requests = [request({ A: row(1) }, ['X']), request({ A: row(2) }, ['X'])]
    answerBatch(stateful, requests, { X: row(1, 2), S: row(7) })
    expect(valuesOf(requests[0]?.outputs?.X)).toEqual([1])
    expect(requests[1]?.outputs).toBeUndefined()
    expect(requests[1]?.states).toEqual({})
    expect(requests[1]?.error?.message).toBe(
      "[request id: <id_unknown>] failed to split the output state tensor 'S' in responses: expected batch size of at least 2 in model output, got 1",
    )
  })
})

import { describe, expect, test } from 'vitest'
import { modelConfig } from '../../request/fixtures/request-rig.ts'
import { Tensor, tensor } from '../../request/tensor.ts'
import { type InitialStates, type SequenceState, SequenceStateFactory } from './sequence-state.ts'

const state = (more: string, n = ''): string =>
  `state { input_name: "IN${n}" output_name: "OUT${n}" data_type: TYPE_INT32 ${more} }`

function factory(states: string, initial: InitialStates = new Map(), maxBatchSize = 0): SequenceStateFactory {
  return new SequenceStateFactory(
    modelConfig(`max_batch_size: ${maxBatchSize} sequence_batching { ${states} }`),
    initial,
  )
}

const sequence = (...parts: Parameters<typeof factory>): SequenceState => factory(...parts).create() as SequenceState

/** Name, type, shape and data of every input. */
const inputsOf = ({ inputs }: SequenceState): unknown[] =>
  inputs.map(({ name, tensor: { datatype, shape, data } }) => [name, datatype, shape, [...data]])

const ints = (...values: number[]): Tensor<'INT32'> => tensor('INT32', [values.length], Int32Array.from(values))

test('a model without state has none', () => {
  expect(factory('').create()).toBeUndefined()
})

describe('the initial value', () => {
  test('is zero, with 1 for a size that varies', () => {
    expect(inputsOf(sequence(state('dims: [2, -1]')))).toEqual([['IN', 'INT32', [2, 1], [0, 0]]])
  })

  test('has a leading 1 with batching', () => {
    expect(inputsOf(sequence(state('dims: 2'), undefined, 4))).toEqual([['IN', 'INT32', [1, 2], [0, 0]]])
  })

  test('of strings is empty strings', () => {
    const strings = sequence(state('dims: 2').replace('INT32', 'STRING'))
    expect(strings.inputs[0]?.tensor.strings()).toEqual(['', ''])
  })

  test('is the one that the configuration gives', () => {
    const initial = new Map([['IN', ints(4, 5, 6)]])
    expect(inputsOf(sequence(state('dims: -1'), initial))).toEqual([['IN', 'INT32', [3], [4, 5, 6]]])
  })

  test('is not touched by sequences that share their buffer', () => {
    const initial = new Map([['IN', ints(4)]])
    const states = factory(state('dims: 1 use_same_buffer_for_input_output: true'), initial)
    states.create()?.update('OUT', ints(9))
    expect(inputsOf(states.create() as SequenceState)).toEqual([['IN', 'INT32', [1], [4]]])
  })
})

describe('update', () => {
  test('gives the next request the new value; a state that is not updated stays', () => {
    const states = sequence(state('dims: 1', '1') + state('dims: 1', '2'))
    states.update('OUT2', ints(7))
    expect(inputsOf(states)).toEqual([
      ['IN1', 'INT32', [1], [0]],
      ['IN2', 'INT32', [1], [7]],
    ])
  })

  test('may change shape and type', () => {
    const states = sequence(state('dims: -1'))
    states.update('OUT', ints(1, 2, 3))
    states.update('OUT', tensor('FP64', [1, 2], Float64Array.of(0.5, 1.5)))
    expect(inputsOf(states)).toEqual([['IN', 'FP64', [1, 2], [0.5, 1.5]]])
  })

  test('takes strings', () => {
    const states = sequence(state('dims: -1').replace('INT32', 'STRING'))
    states.update('OUT', tensor('BYTES', [2], ['long text', '']))
    expect(states.inputs[0]?.tensor.strings()).toEqual(['long text', ''])
  })

  test('takes bytes at an odd offset', () => {
    const states = sequence(state('dims: 1'))
    const bytes = Buffer.from([0, 7, 0, 0, 0])
    states.update('OUT', Tensor.fromBytes('INT32', [1], bytes.subarray(1)))
    expect(inputsOf(states)).toEqual([['IN', 'INT32', [1], [7]]])
  })

  test('copies: whoever made the value may go on to use its memory', () => {
    const states = sequence(state('dims: 1'))
    const value = ints(7)
    states.update('OUT', value)
    value.data.fill(0)
    expect(inputsOf(states)).toEqual([['IN', 'INT32', [1], [7]]])
  })

  test.each([
    ['elements', tensor('BYTES', [1], [Buffer.from('ab')])],
    ['packed bytes', Tensor.fromBytes('BYTES', [1], Buffer.from([2, 0, 0, 0, 97, 98]))],
  ])('copies strings too, given as %s', (_, value) => {
    const states = sequence(state('dims: 1').replace('INT32', 'STRING'))
    states.update('OUT', value)
    ;(value.data[0] as Uint8Array).fill(120)
    expect(states.inputs[0]?.tensor.strings()).toEqual(['ab'])
  })

  test('leaves the input of the request before as it was', () => {
    const states = sequence(state('dims: 1'))
    const before = states.inputs[0]?.tensor
    states.update('OUT', ints(7))
    expect(before?.data[0]).toBe(0)
  })

  test('of a name that is no state', () => {
    const states = sequence(state('dims: 1'))
    expect(() => states.update('undefined_state', ints(1))).toThrow(
      "state 'undefined_state' is not a valid state name.",
    )
    expect(() => states.update('IN', ints(1))).toThrow("state 'IN' is not a valid state name.")
  })
})

describe('use_same_buffer_for_input_output', () => {
  const shared = () => sequence(state('dims: -1 use_same_buffer_for_input_output: true'))

  test('writes over the value before', () => {
    const states = shared()
    const before = states.inputs[0]?.tensor
    states.update('OUT', ints(7))
    expect(before?.data[0]).toBe(7)
    states.update('OUT', tensor('FP32', [1], Float32Array.of(0.5)))
    expect(inputsOf(states)).toEqual([['IN', 'FP32', [1], [0.5]]])
  })

  test('takes other memory for another size', () => {
    const states = shared()
    const before = states.inputs[0]?.tensor
    states.update('OUT', ints(7, 8))
    expect(before?.data[0]).toBe(0)
    expect(inputsOf(states)).toEqual([['IN', 'INT32', [2], [7, 8]]])
  })

  test('takes its own memory back', () => {
    const states = shared()
    const mine = states.inputs[0]?.tensor as Tensor<'INT32'>
    mine.data[0] = 5
    states.update('OUT', mine)
    expect(inputsOf(states)).toEqual([['IN', 'INT32', [1], [5]]])
  })

  test('reads strings anew', () => {
    const states = sequence(state('dims: 1 use_same_buffer_for_input_output: true').replace('INT32', 'STRING'))
    states.update('OUT', tensor('BYTES', [1], ['ab']))
    expect(states.inputs[0]?.tensor.strings()).toEqual(['ab'])
    states.update('OUT', tensor('BYTES', [1], ['cd']))
    expect(states.inputs[0]?.tensor.strings()).toEqual(['cd'])
  })
})

test('states that repeat the name of an input or output are ignored', () => {
  const states =
    state('dims: 1') + state('dims: 2') + state('dims: 3').replace('"IN"', '"OTHER"') + state('dims: 4', '4')
  expect(inputsOf(sequence(states)).map((input) => (input as unknown[])[0])).toEqual(['IN', 'IN4'])
})

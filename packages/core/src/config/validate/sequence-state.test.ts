import { describe, expect, test } from 'vitest'
import { normalizeModelConfig } from '../normalize.ts'
import { parseModelConfig } from '../parse-pbtxt.ts'
import { validateSequenceStates } from '../validate.ts'

/** The problems of a model with these states. */
function problems(states: string, kind = 'KIND_CPU'): string[] {
  const { config } = parseModelConfig(`name: "m" backend: "b" sequence_batching { ${states} }
    instance_group { kind: ${kind} }`)
  return validateSequenceStates(normalizeModelConfig(config)).map(({ path, message }) => `${path}: ${message}`)
}

const state = (more: string, dims = '[2, -1]'): string =>
  `state { input_name: "S" output_name: "T" data_type: TYPE_INT32 dims: ${dims} ${more} }`

const initial = (more: string, { type = 'TYPE_INT32', name = 'first', dims = '[2, 3]' } = {}): string =>
  state(`initial_state { name: "${name}" data_type: ${type} dims: ${dims} ${more} }`)

test.each([
  ['a model without states', ''],
  ['a state without initial_state', state('')],
  ['zero_data', initial('zero_data: true')],
  ['zero_data that is false', initial('zero_data: false')],
  ['data_file', initial('data_file: "a"')],
  ['a shared buffer', state('use_same_buffer_for_input_output: true')],
])('%s is fine', (_, states) => {
  expect(problems(states)).toEqual([])
})

describe('initial_state', () => {
  const path = 'sequence_batching.state[0].initial_state'
  const one = initial('zero_data: true')
  test.each([
    [
      'two of them',
      one.replace(/initial_state (\{[^}]*\})/, 'initial_state $1 initial_state $1'),
      `${path}: initial_state field for state input 'S' must contain exactly one or zero element. Found '2' elements.`,
    ],
    [
      'of another type',
      initial('zero_data: true', { type: 'TYPE_FP32' }),
      `${path}[0].data_type: The data type used for 'initial_state' field of state 'S' does not match the state data type.`,
    ],
    [
      'without a name',
      initial('zero_data: true', { name: '' }),
      `${path}[0].name: Field 'name' must be set when using initial_state for state input 'S'.`,
    ],
    [
      'with another number of dimensions',
      initial('zero_data: true', { dims: '[2]' }),
      `${path}[0].dims: Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input 'S'. 1 != 2`,
    ],
    [
      'with a dimension that varies',
      initial('zero_data: true', { dims: '[2, -1]' }),
      `${path}[0].dims: 'initial_state' field for state input name 'S' contains variable dimensions.`,
    ],
    [
      'with another dimension',
      initial('zero_data: true', { dims: '[5, 3]' }),
      `${path}[0].dims: 'initial_state' dim for input name 'S' doesn't match 'state' dim description. 5 != 2`,
    ],
    [
      'with an impossible dimension',
      initial('zero_data: true', { dims: '[2, -3]' }),
      `${path}[0].dims: tensor 'S' contains an invalid dimension [2,-3]`,
    ],
    ['without data', initial(''), `${path}[0]: initial_state setting expects state'S' to have state_data set`],
  ])('%s', (_, states, problem) => {
    expect(problems(states)).toEqual([problem])
  })

  test('twice for one input', () => {
    expect(problems(one + one)).toEqual([
      "sequence_batching.state[1].initial_state[0]: State input name 'S' specified more than once.",
    ])
  })

  test('the first of several problems of one is told', () => {
    expect(problems(initial('', { type: 'TYPE_FP32', name: '', dims: '[1]' }))).toHaveLength(1)
  })

  test('problems of several states are all told', () => {
    expect(problems(initial('') + initial('').replace('"S"', '"R"'))).toHaveLength(2)
  })
})

describe('use_growable_memory', () => {
  const growable = 'use_growable_memory: true'
  const shared = `use_same_buffer_for_input_output: true ${growable}`

  test('needs a shared buffer', () => {
    expect(problems(state(growable), 'KIND_GPU')).toEqual([
      "sequence_batching.state[0].use_growable_memory: In order to 'use_growable_memory', you must also enable 'use_single_buffer' for state input name 'S'.",
    ])
  })

  test('needs a GPU', () => {
    expect(problems(state(shared))).toEqual([
      "sequence_batching.state[0].use_growable_memory: 'use_growable_memory' can only work with KIND_GPU model instances right now. Please either change the instance type to KIND_GPU or set 'use_growable_memory' to false for state input 'S'.",
    ])
    expect(problems(state(shared), 'KIND_GPU')).toEqual([])
  })
})

test('a state needs a type and possible dimensions', () => {
  expect(problems(state('', '[-2]').replace('data_type: TYPE_INT32', ''))).toEqual([
    "sequence_batching.state[0].data_type: state 'S' must specify 'data_type' for m",
    "sequence_batching.state[0].dims: tensor 'S' contains an invalid dimension [-2]",
  ])
})

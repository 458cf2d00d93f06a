import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { ConfigError } from './config-error.ts'
import { locateProblems } from './locate-problems.ts'
import { parseModelConfig } from './parse-pbtxt.ts'

describe('ConfigError', () => {
  test('a single problem without a position is its text alone', () => {
    const error = new ConfigError([{ message: "model configuration must specify 'name'", path: 'name' }])
    expect(error.message).toBe("model configuration must specify 'name'")
    expect(error.reason).toBe("Invalid argument: model configuration must specify 'name'")
  })

  test('several problems have a line each, with the parts that are known', () => {
    const error = new ConfigError([
      { message: 'one' },
      { message: 'two', path: 'input[0]' },
      { message: 'three', path: 'name', line: 3, column: 7 },
      { message: 'four', file: 'config.pbtxt' },
    ])
    expect(error.message).toBe('one\ninput[0]: two\n3:7: name: three\nconfig.pbtxt: four')
  })

  test('is a TritonError, and not every TritonError is one', () => {
    expect(new ConfigError([{ message: 'x' }])).toBeInstanceOf(TritonError)
    expect(new TritonError('INTERNAL', 'x')).not.toBeInstanceOf(ConfigError)
  })
})

test('locateProblems finds the field, or the nearest message around it', () => {
  const { positions } = parseModelConfig('name: "x"\ninput [\n  { name: "a" }\n]\ndynamic_batching { }')
  const located = locateProblems(
    [
      { message: 'a', path: 'input[0].name' },
      { message: 'b', path: 'input[0].dims' },
      { message: 'c', path: 'dynamic_batching.priority_queue_policy["a.\\"b"]' },
      { message: 'd', path: 'output' },
      { message: 'e' },
    ],
    positions,
    'config.pbtxt',
  )
  expect(located.map(({ line, column }) => [line, column])).toEqual([
    [3, 5],
    [3, 3],
    [5, 1],
    [undefined, undefined],
    [undefined, undefined],
  ])
  expect(located.every(({ file }) => file === 'config.pbtxt')).toBe(true)
})

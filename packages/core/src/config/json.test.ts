import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, formatProblem } from './config-error.ts'
import { modelConfigFromJson, modelConfigFromObject } from './json.ts'
import type { ModelConfigInput } from './model-config.ts'

function problemsOf(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem)
    throw error
  }
  return []
}

describe('modelConfigFromJson', () => {
  test('takes snake_case and camelCase keys, enum names in any case and numbers, integers as text', () => {
    const config = modelConfigFromJson(`{
      "name": "net", "max_batch_size": 4.0, "defaultModelFilename": "m.onnx", "runtime": null,
      "input": [{ "name": "x", "data_type": "type_fp32", "format": 2, "dims": ["-1", 3, "1e2"] }],
      "output": [{ "dataType": "TYPE_BYTES" }],
      "dynamicBatching": { "priority_queue_policy": { "007": { "timeout_action": "Delay" } } },
      "sequence_batching": null,
      "parameters": { "__proto__": { "string_value": "p" } }
    }`)
    expect(config).toMatchObject({
      name: 'net',
      maxBatchSize: 4,
      defaultModelFilename: 'm.onnx',
      runtime: '',
      input: [{ name: 'x', dataType: 'TYPE_FP32', format: 'FORMAT_NCHW', dims: [-1, 3, 100] }],
      output: [{ dataType: 'TYPE_STRING' }],
    })
    expect(config.dynamicBatching?.priorityQueuePolicy['7']?.timeoutAction).toBe('DELAY')
    expect(config.sequenceBatching).toBeUndefined()
    expect(Object.keys(config.parameters)).toEqual(['__proto__'])
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('floats as numbers, text and the special values', () => {
    const json = (value: string) => `{ "sequence_batching": { "direct": { "minimum_slot_utilization": ${value} } } }`
    const read = (value: string) => modelConfigFromJson(json(value)).sequenceBatching?.direct?.minimumSlotUtilization
    expect(['0.1', '"0.25"', '"NaN"', '"-Infinity"'].map(read)).toEqual([0.1, 0.25, Number.NaN, -Infinity])
  })

  test('reports all problems with their paths', () => {
    const json = `{
      "nam": "net", "max_batch_size": 1.5, "maxBatchSize": 3, "platform": 7,
      "input": [{ "data_type": "FP32", "dims": [1, null, "x"] }, 5],
      "output": {}, "metric_tags": { "a": 1 }, "parameters": [],
      "dynamic_batching": { "priority_queue_policy": { "x": {}, "-1": {} } }, "ensemble_scheduling": {},
      "response_cache": { "enable": "true" }
    }`
    expect(problemsOf(() => modelConfigFromJson(json))).toEqual([
      "nam: unknown field 'nam' in ModelConfig; did you mean 'name'?",
      'max_batch_size: expected an integer but found 1.5',
      'platform: expected a string but found 7',
      "input[0].data_type: unknown value 'FP32' of DataType; did you mean 'TYPE_FP32'?",
      'input[0].dims[1]: expected an integer but found null',
      'input[0].dims[2]: expected an integer but found "x"',
      'input[1]: expected an object but found 5',
      'output: expected an array but found an object',
      'metric_tags["a"]: expected a string but found 1',
      'parameters: expected an object but found an array',
      'dynamic_batching.priority_queue_policy["x"]: the key is not an integer',
      'dynamic_batching.priority_queue_policy["-1"]: -1 is out of range for uint64 (0 to 18446744073709551615)',
      "ensemble_scheduling: 'ensemble_scheduling' cannot be set together with 'dynamic_batching'",
      'response_cache.enable: expected true or false but found "true"',
    ])
  })

  test('a field in both spellings is one too many', () => {
    expect(problemsOf(() => modelConfigFromJson('{ "max_batch_size": 1, "maxBatchSize": 2 }'))).toEqual([
      "max_batch_size: 'max_batch_size' is specified multiple times",
    ])
  })

  test('tells where the text stops being JSON', () => {
    const [problem] = problemsOf(() => modelConfigFromJson('{\n  "name": "x",\n  oops }'))
    expect(problem).toMatch(/^3:3: Expected double-quoted property name/)
    expect(problemsOf(() => modelConfigFromJson(''))).toHaveLength(1)
    expect(problemsOf(() => modelConfigFromJson('{ "input": '.repeat(10_000)))).toHaveLength(1)
    expect(problemsOf(() => modelConfigFromJson('['.repeat(10_000) + ']'.repeat(10_000)))).toEqual([
      'expected an object but found an array',
    ])
    expect(problemsOf(() => modelConfigFromJson('3'))).toEqual(['expected an object but found 3'])
  })

  test('any JSON is read or rejected with a ConfigError', () => {
    const key = fc.constantFrom(
      'name',
      'input',
      'dims',
      'data_type',
      'max_batch_size',
      'parameters',
      'value',
      'reshape',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (input) => {
        problemsOf(() => modelConfigFromJson(JSON.stringify(input)))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('modelConfigFromObject', () => {
  test('takes bigints, typed arrays and undefined', () => {
    const input = { name: 'x', backend: undefined, input: [{ dims: BigInt64Array.of(1n, -1n) as never }] }
    expect(modelConfigFromObject(input)).toMatchObject({ name: 'x', backend: '', input: [{ dims: [1, -1] }] })
  })

  test('rejects what no configuration holds', () => {
    const input = { name: Symbol('x'), backend: () => 'y', platform: 'p'.repeat(99), maxBatchSize: 2n ** 70n }
    expect(problemsOf(() => modelConfigFromObject(input as unknown as ModelConfigInput))).toEqual([
      'name: expected a string but found a symbol',
      'backend: expected a string but found a function',
      `max_batch_size: ${2n ** 70n} is out of range for int32 (-2147483648 to 2147483647)`,
    ])
  })
})

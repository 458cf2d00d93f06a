import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageArbitrary } from './fixtures/config-arbitrary.ts'
import { createOracle } from './fixtures/protobufjs-oracle.ts'
import { modelConfigFromJson, modelConfigFromObject } from './json.ts'
import type { ModelConfigInput } from './model-config.ts'
import { parseModelConfig } from './parse-pbtxt.ts'
import { modelConfigSchema } from './schema.ts'
import { modelConfigToJson } from './to-json.ts'
import { modelConfigToPbtxt } from './to-pbtxt.ts'

const configs = messageArbitrary(modelConfigSchema).map((input) => modelConfigFromObject(input as ModelConfigInput))

describe('any configuration', () => {
  test('survives being printed as text and parsed', () => {
    fc.assert(
      fc.property(configs, (config) => {
        expect(parseModelConfig(modelConfigToPbtxt(config)).config).toEqual(config)
      }),
      { numRuns: 150 },
    )
  })

  test('survives being printed as JSON and parsed', () => {
    fc.assert(
      fc.property(configs, (config) => {
        expect(modelConfigFromJson(JSON.stringify(modelConfigToJson(config)))).toEqual(config)
      }),
      { numRuns: 150 },
    )
  })

  test('is printed as text that protobufjs reads alike', () => {
    const read = createOracle()
    fc.assert(
      fc.property(configs, (config) => {
        expect(modelConfigFromObject(read(modelConfigToPbtxt(config)))).toEqual(config)
      }),
      { numRuns: 100 },
    )
  })
})

test('the text has the layout that people write', () => {
  const config = modelConfigFromObject({
    name: 'net',
    maxBatchSize: 8,
    input: [{ name: 'x', dataType: 'TYPE_FP32', dims: [3, -1], reshape: {} }],
    versionPolicy: { all: {} },
    parameters: { note: { stringValue: 'a "b"\n' } },
  })
  expect(modelConfigToPbtxt(config)).toBe(
    [
      'name: "net"',
      'version_policy {',
      '  all { }',
      '}',
      'max_batch_size: 8',
      'input [',
      '  {',
      '    name: "x"',
      '    data_type: TYPE_FP32',
      '    dims: [ 3, -1 ]',
      '    reshape { }',
      '  }',
      ']',
      'parameters {',
      '  key: "note"',
      '  value {',
      '    string_value: "a \\"b\\"\\n"',
      '  }',
      '}',
      '',
    ].join('\n'),
  )
})

test('nothing is printed of a configuration that has only defaults', () => {
  expect(modelConfigToPbtxt(modelConfigFromObject({}))).toBe('')
})

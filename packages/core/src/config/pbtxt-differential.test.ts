import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { messageArbitrary } from './fixtures/config-arbitrary.ts'
import { createRandom, StyledPrinter } from './fixtures/pbtxt-styles.ts'
import { createOracle } from './fixtures/protobufjs-oracle.ts'
import { modelConfigFromObject } from './json.ts'
import type { ModelConfig, ModelConfigInput } from './model-config.ts'
import { parseModelConfig } from './parse-pbtxt.ts'
import { modelConfigSchema } from './schema.ts'

const read = createOracle()

/** The corpus: random configurations, each in a random style. */
function corpus(size: number): { config: ModelConfig; text: string }[] {
  const inputs = fc.sample(messageArbitrary(modelConfigSchema), { numRuns: size, seed: 1 })
  return inputs.map((input, index) => {
    const config = modelConfigFromObject(input as ModelConfigInput)
    return { config, text: new StyledPrinter(index).print(config) }
  })
}

/** The configuration, or the problems that were found in it. Any other error is a failure of the test. */
function parse(text: string | Uint8Array): ModelConfig | ConfigError {
  try {
    return parseModelConfig(text).config
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

test('a generated corpus in every style is read as it was meant, and as protobufjs reads it', () => {
  for (const { config, text } of corpus(300)) {
    expect(parseModelConfig(text).config).toEqual(config)
    expect(modelConfigFromObject(read(text))).toEqual(config)
  }
})

const tutorials = [
  'version_policy: { latest: { num_versions: 2 }}',
  'version_policy: { all { }}',
  'version_policy: { specific: { versions: [1,3]}}',
  'input [ { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }, { name: "y", data_type: TYPE_INT64; dims: -1 } ]',
  'model_warmup [ { inputs: { key: "x" value: { data_type: TYPE_FP32 dims: [ 1 ] zero_data: true } } count: 10 } ]',
  'max_batch_size: 8 # a comment\n# another: { "\nname: "m"# the end',
  'ensemble_scheduling { step [ { model_name: "a" model_version: 1 input_map { key: "i" value: "o" } } ] }',
  'instance_group [ { kind: KIND_GPU, gpus: [0, 1], count: 2 } ]\n dynamic_batching { }',
  "parameters: { key: 'EXECUTION_ENV_PATH', value: {string_value: '$$TRITON_MODEL_DIRECTORY/env.tar.gz'} }",
  'parameters [ { key: "a" value { string_value: "b" } }, { key: "a" value { string_value: "c" } } ]',
  'optimization { execution_accelerators { gpu_execution_accelerator : [ { name : "tensorrt" parameters ' +
    '{ key: "precision_mode" value: "FP16" } parameters < key: "max_workspace_size_bytes" value: "1073741824" > }] }}',
  'sequence_batching { oldest { max_candidate_sequences: 4 } control_input [ { name: "START" control [ ' +
    '{ kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1. ] } ] } ] }',
  '',
]

describe('forms seen in tutorials', () => {
  test.each(tutorials)('%s', (text) => {
    expect(parseModelConfig(text).config).toEqual(modelConfigFromObject(read(text) as ModelConfigInput))
  })
})

/** Pieces that make a text wrong in interesting ways. */
const pieces = [
  '{',
  '}',
  '[',
  ']',
  '<',
  '>',
  ':',
  ',',
  ';',
  '"',
  "'",
  '\\',
  '-',
  '#',
  '$',
  '$\u007bx}',
  '\n',
  '\0',
  '0x',
  '1e',
]
const words = ['input', 'name', 'dims', 'TYPE_FP32', 'TYPE_BYTES', 'dynamic_batching', 'key', 'value', '3', '"s"', 'é']

function mutate(text: string, random: () => number): string {
  const pick = (choices: readonly string[]) => choices[Math.floor(random() * choices.length)]!
  let mutated = text
  for (let count = 1 + Math.floor(random() * 3); count > 0; count--) {
    const from = Math.floor(random() * (mutated.length + 1))
    const to = from + Math.floor(random() * random() * (mutated.length - from))
    const insertion = pick(['', pick(pieces), ` ${pick(words)} `, mutated.slice(from, to).repeat(2)])
    mutated = mutated.slice(0, from) + insertion + mutated.slice(random() < 0.5 ? from : to)
  }
  return mutated
}

test('4,000 mutated configurations are read as protobufjs reads them, or rejected with a ConfigError', () => {
  const random = createRandom(7)
  const generated = corpus(200).map(({ text }) => text)
  const bases = [...generated.filter((text) => text.length < 2_000), ...tutorials, ...tutorials]
  let accepted = 0
  for (let count = 0; count < 4_000; count++) {
    const text = mutate(bases[count % bases.length]!, random)
    const ours = parse(text)
    if (!(ours instanceof ConfigError)) accepted++
    else expect(ours.problems.length).toBeGreaterThan(0)
    const theirs = oracle(text)
    if (theirs === undefined) continue
    if (ours instanceof ConfigError) expect(ours.problems.every(isStricter), `${ours.message}\n${text}`).toBe(true)
    else expect(ours).toEqual(theirs)
  }
  expect(accepted).toBeGreaterThan(500)
})

test('any bytes are read or rejected with a ConfigError', () => {
  const random = createRandom(3)
  const bytes = Buffer.from(tutorials.join('\n'))
  for (let count = 0; count < 1_000; count++) {
    const mutated = Uint8Array.from(bytes)
    for (let flips = 0; flips < 3; flips++) mutated[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    const result = parse(mutated)
    expect(result instanceof ConfigError ? result.problems.length : 1).toBeGreaterThan(0)
  }
})

/** protobufjs's reading; undefined where it rejects the text. */
function oracle(text: string): ModelConfig | undefined {
  try {
    return modelConfigFromObject(read(text))
  } catch {
    return undefined
  }
}

/** Triton rejects a map entry with two keys or values; protobufjs takes the last. */
const isStricter = ({ message }: { message: string }) => /^'(key|value)' is specified multiple times/.test(message)

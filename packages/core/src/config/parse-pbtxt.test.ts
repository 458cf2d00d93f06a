import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { ConfigError, formatProblem } from './config-error.ts'
import { parseModelConfig } from './parse-pbtxt.ts'

/** All problems of a text, one a line, without the file. */
function problemsOf(text: string | Uint8Array): string[] {
  try {
    parseModelConfig(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(formatProblem)
    throw error
  }
  return []
}

const parse = (text: string) => parseModelConfig(text).config

describe('what the text format allows', () => {
  test('an empty text is a configuration with every default', () => {
    expect(parse('')).toEqual({
      name: '',
      platform: '',
      backend: '',
      runtime: '',
      maxBatchSize: 0,
      input: [],
      output: [],
      batchInput: [],
      batchOutput: [],
      instanceGroup: [],
      defaultModelFilename: '',
      ccModelFilenames: {},
      metricTags: {},
      parameters: {},
      modelWarmup: [],
    })
  })

  test('a byte order mark, as bytes or as a character', () => {
    expect(parse('\uFEFFname: "x"').name).toBe('x')
    expect(parseModelConfig(Buffer.from('\uFEFFname: "x"')).config.name).toBe('x')
  })

  test('strings with both quotes, over lines, adjacent, and with every escape', () => {
    const text = String.raw`name: "a\n\t\r\a\b\f\v\\\'\"\?" 'b"' "\101\x41\X42\u00e9\U0001F600\ud83d\ude00" "\303" "\251"`
    expect(parse(text).name).toBe('a\n\t\r\x07\b\f\v\\\'"?b"AABé😀😀é')
    expect(parse('name: "two\nlines"').name).toBe('two\nlines')
  })

  test('integers in decimal, hex and octal, with a sign', () => {
    expect(parse('input { dims: [ 16, 0x1F, 010, - 1, 0X0 ] }').input[0]?.dims).toEqual([16, 31, 8, -1, 0])
  })

  test('a field right after a number', () => {
    expect(parse('max_batch_size: 8name: "x"')).toMatchObject({ maxBatchSize: 8, name: 'x' })
  })

  test('floats, rounded to 32 bits as far as one sees', () => {
    const control = (values: string) =>
      parse(`sequence_batching { control_input { control { fp32_false_true: [ ${values} ] } } }`).sequenceBatching
        ?.controlInput[0]?.control[0]?.fp32FalseTrue
    expect(control('0.1, .5f, 1e3, 7, -inf, Infinity, 1e-50')).toEqual([0.1, 0.5, 1000, 7, -Infinity, Infinity, 0])
    expect(control('0.123456789, NAN')).toEqual([0.12345679, Number.NaN])
  })

  test('booleans in every spelling', () => {
    const input = 'input { optional: true } input { optional: True } input { optional: t } input { optional: 1 }'
    expect(parse(input).input.map(({ optional }) => optional)).toEqual([true, true, true, true])
    expect(parse('input { optional: False }').input[0]?.optional).toBe(false)
  })

  test('enum values by name and by number; an unknown number is kept and noted', () => {
    const { config, notes } = parseModelConfig('input { data_type: 11 } output { data_type: 77 }')
    expect(config.input[0]?.dataType).toBe('TYPE_FP32')
    expect(config.output[0]?.dataType).toBe('77')
    expect(notes.map(formatProblem)).toEqual(['1:45: output[0].data_type: DataType has no value 77'])
  })

  test('lists in both forms append; the last entry of a map with the same key wins', () => {
    expect(parse('input { dims: 1 dims: [ 2, 3 ] dims: [ ] dims: 4 }').input[0]?.dims).toEqual([1, 2, 3, 4])
    const tags = 'metric_tags { key: "a" value: "1" } metric_tags [ { key: "b" }, { value: "2" key: "a" } ]'
    expect(parse(tags).metricTags).toEqual({ a: '2', b: '' })
  })

  test('a scalar set to its default first may be set again', () => {
    expect(parse('max_batch_size: 0 max_batch_size: 4').maxBatchSize).toBe(4)
  })

  test('map keys that mean something in JavaScript', () => {
    const { parameters } = parse('parameters { key: "__proto__" value { string_value: "x" } }')
    expect(Object.keys(parameters)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(parameters)).toBeNull()
  })

  test('the configuration is frozen', () => {
    const config = parse('input { dims: 1 }')
    expect(Object.isFrozen(config) && Object.isFrozen(config.input[0]?.dims)).toBe(true)
  })
})

describe('notes', () => {
  test('TYPE_BYTES stands for TYPE_STRING', () => {
    const { config, notes } = parseModelConfig('input {\n  data_type: TYPE_BYTES\n}', { file: 'config.pbtxt' })
    expect(config.input[0]?.dataType).toBe('TYPE_STRING')
    expect(notes).toEqual([
      {
        message: 'Triton does not know TYPE_BYTES; it is read as TYPE_STRING',
        path: 'input[0].data_type',
        file: 'config.pbtxt',
        line: 2,
        column: 14,
      },
    ])
  })

  test('a string that looks like an unfilled template', () => {
    const text = 'parameters { key: "a" value { string_value: "x/$\x7Bdir}" } }'
    expect(parseModelConfig(text).notes.map(({ message }) => message)).toEqual([
      '$\x7Bdir} looks like an unfilled template',
    ])
  })

  test('an integer that no JavaScript number holds', () => {
    const text = 'sequence_batching { max_sequence_idle_microseconds: 18446744073709551615 }'
    const { config, notes } = parseModelConfig(text)
    expect(config.sequenceBatching?.maxSequenceIdleMicroseconds).toBe(2 ** 64)
    expect(notes).toHaveLength(1)
  })
})

test('every field has a position', () => {
  const { positions } = parseModelConfig('name: "x"\ninput [ {\n  name: "a"\n} ]\nparameters { key: "k" }')
  expect(positions.get('input')).toEqual({ line: 2, column: 1 })
  expect(positions.get('input[0]')).toEqual({ line: 2, column: 9 })
  expect(positions.get('input[0].name')).toEqual({ line: 3, column: 3 })
  expect(positions.get('parameters[0].key')).toEqual({ line: 5, column: 14 })
})

describe('problems', () => {
  test('are reported all at once, with file, line, column, path and a hint', () => {
    const text = [
      'name: "net"',
      'max_batch_sizee: 3',
      'platform: onnx',
      'input [',
      '  { name: "x" data_type: TYPE_FP31 dims: [ 1, "a", 3 ] },',
      '  { nam: "y" data_type: "TYPE_INT8" dims: 99999999999999999999 }',
      ']',
      'instance_group { kind: GPU count: 1.5 count: -9999999999 }',
    ].join('\n')
    const error = (() => {
      try {
        return parseModelConfig(text, { file: 'config.pbtxt' })
      } catch (thrown) {
        return thrown as ConfigError
      }
    })()
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toBeInstanceOf(TritonError)
    expect((error as ConfigError).code).toBe('INVALID_ARG')
    expect((error as ConfigError).message.split('\n')).toEqual([
      "config.pbtxt:2:1: max_batch_sizee: unknown field 'max_batch_sizee' in ModelConfig; did you mean 'max_batch_size'?",
      "config.pbtxt:3:11: platform: expected a string in quotes but found 'onnx'",
      "config.pbtxt:5:26: input[0].data_type: unknown value 'TYPE_FP31' of DataType; did you mean 'TYPE_FP32'?",
      'config.pbtxt:5:47: input[0].dims: expected an integer but found "a"',
      "config.pbtxt:6:5: input[1].nam: unknown field 'nam' in ModelInput; did you mean 'name'?",
      'config.pbtxt:6:25: input[1].data_type: TYPE_INT8 is written without quotes',
      'config.pbtxt:6:43: input[1].dims: 99999999999999999999 is out of range for int64 ' +
        '(-9223372036854775808 to 9223372036854775807)',
      "config.pbtxt:8:24: instance_group[0].kind: unknown value 'GPU' of ModelInstanceGroup.Kind; did you mean 'KIND_GPU'?",
      "config.pbtxt:8:35: instance_group[0].count: expected an integer but found '1.5'",
      'config.pbtxt:8:46: instance_group[0].count: -9999999999 is out of range for int32 (-2147483648 to 2147483647)',
    ])
  })

  test.each([
    ['max_batch_size: $\x7Bsize}', ['1:17: max_batch_size: the template $\x7Bsize} has not been filled in']],
    ['$\x7Bbatching} name: "x"', ['1:1: the template $\x7Bbatching} has not been filled in']],
    ['name: "a" name: "b"', ["1:11: name: 'name' is specified multiple times"]],
    [
      'dynamic_batching { } sequence_batching { }',
      ["1:22: sequence_batching: 'sequence_batching' cannot be set together with 'dynamic_batching'"],
    ],
    [
      'model_warmup { inputs { value { zero_data: false random_data: true } } }',
      ["1:50: model_warmup[0].inputs[0].value.random_data: 'random_data' cannot be set together with 'zero_data'"],
    ],
    ['max_batch_size 8 name: "x"', ["1:16: max_batch_size: ':' is missing after 'max_batch_size'"]],
    ['max_batch_size:\nname: "x"', ['2:1: max_batch_size: expected an integer but the value is missing']],
    ['max_batch_size: [ 8 ] name: "x"', ["1:17: max_batch_size: 'max_batch_size' takes a single value, not a list"]],
    ['max_batch_size: [', ["1:17: max_batch_size: 'max_batch_size' takes a single value, not a list"]],
    ['max_batch_size: { }', ["1:17: max_batch_size: expected an integer but found '{'"]],
    ['max_batch_size { x: 1 } name: "x"', ["1:16: max_batch_size: ':' is missing after 'max_batch_size'"]],
    ['input: "x" name: "y"', ['1:8: input[0]: expected \'{\' but found "x"']],
    ['input [ { } { } ]', ["1:13: input: ',' is missing between the elements of the list"]],
    ['input [ { }, ]', ["1:14: input: a list cannot end with ','"]],
    ['input { dims: [ 1 2 3 ] }', ["1:19: input[0].dims: ',' is missing between the elements of the list"]],
    ['input { dims: [ 1, 2\n data_type: TYPE_INT8 }', ["1:15: input[0].dims: '[' is never closed"]],
    ['input [ { name: "a"', ["1:9: input[0]: '{' is never closed"]],
    ['input { name: "a" ] name: "b"', ["1:19: input[0]: expected '}' but found ']'"]],
    ['name: "a" } platform: "b"', ["1:11: expected a field name but found '}'"]],
    ['name: "a",, platform: "b"', ["1:11: expected a field name but found ','"]],
    ['input { dims: 08 }', ["1:15: input[0].dims: '08' is not an octal number, which a leading 0 announces"]],
    ['input { optional: 2 }', ["1:19: input[0].optional: expected true or false but found '2'"]],
    ['input { optional: -1 }', ["1:19: input[0].optional: expected true or false but found '1'"]],
    ['model_warmup { count: -1 }', ['1:23: model_warmup[0].count: -1 is out of range for uint32 (0 to 4294967295)']],
    ['name: "\\q"', ["1:7: name: invalid escape '\\q' in the string"]],
    ['name: "\\377"', ['1:7: name: the escapes of the string do not make valid UTF-8']],
    ['name: "\\ud83d"', ["1:7: name: invalid escape '\\ud83d' in the string"]],
    ['name: "\\U00110000"', ["1:7: name: invalid escape '\\U00110000' in the string"]],
    ['// about\nname: "x"', ["1:1: a comment starts with '#'"]],
    ['name: \u00a0"x"', ["1:7: name: unexpected character 'U+00a0'"]],
    ['[type.googleapis.com/x] { } name: "x"', ["1:1: expected a field name but found '['"]],
    [
      'maxBatchSize: 3',
      ["1:1: maxBatchSize: unknown field 'maxBatchSize' in ModelConfig; did you mean 'max_batch_size'?"],
    ],
    ['name: "a\nplatform: "b"\nbackend: "c"', ['1:7: name: the string has no closing quote']],
    ['name: "a', ['1:7: name: the string has no closing quote']],
  ])('%j', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  test('of deep nesting, whatever the bracket', () => {
    for (const bracket of ['{', '[', '<', 'a{', 'input{', 'input[', 'name:[', '}', ']']) {
      const problems = problemsOf(bracket.repeat(10_000))
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.length).toBeLessThanOrEqual(101)
    }
    expect(problemsOf(`a ${'{'.repeat(10_000)}`)).toEqual([
      "1:1: a: unknown field 'a' in ModelConfig",
      '1:104: brackets are nested deeper than 100 levels',
    ])
  })

  test('are cut off after a hundred', () => {
    const problems = problemsOf('unknown: 1\n'.repeat(500))
    expect(problems).toHaveLength(101)
    expect(problems.at(-1)).toMatch(/^further problems are not shown$/)
  })

  test('of a text that is not UTF-8', () => {
    expect(problemsOf('name: "😀\ud83d"')).toEqual(['1:10: the text is not valid UTF-8'])
    expect(problemsOf(Buffer.from([0x61, 0x0a, 0xc3, 0xa9, 0x62, 0xff]))).toEqual(['2:3: the text is not valid UTF-8'])
    expect(problemsOf(Buffer.from([0xc3]))).toEqual(['1:1: the text is not valid UTF-8'])
  })

  test('of a megabyte of anything take time in proportion', () => {
    const size = 1_000_000
    for (const piece of [
      '$\x7B',
      '"',
      "'\\",
      '1',
      '0x',
      'a',
      'a:',
      '#',
      '\n',
      '/',
      '-',
      'é',
      'dims:1 ',
      'input{}',
      '\0',
    ]) {
      problemsOf(piece.repeat(size / piece.length))
    }
    const entries = Array.from({ length: 20_000 }, (_, n) => `parameters { key: "${n}" }`).join('\n')
    expect(Object.keys(parse(entries).parameters)).toHaveLength(20_000)
  })
})

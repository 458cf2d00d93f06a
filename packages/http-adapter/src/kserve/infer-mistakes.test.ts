import { describe, expect, test } from 'vitest'
import { errorOf, useTestClient } from '../test-client.ts'
import { inferBody } from '../test-server.ts'

const client = useTestClient()
const { infer } = client

describe('mistakes are named as Triton names them', () => {
  const input = { name: 'INPUT0', datatype: 'FP32', shape: [1, 1], data: [1] }
  const only = 'Input must set only one of the following fields: '
  const fields = "'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But"

  test.each<[string, object | string, number, string]>([
    ['no JSON', 'this is not json', 500, 'failed to parse the request JSON buffer: Invalid value. at 1'],
    ['an array', '[]', 500, "Unable to parse 'inputs': attempt to access non-existing object member 'inputs'"],
    ['null inputs', { inputs: null }, 500, "Unable to parse 'inputs': attempt to access JSON non-array as array"],
    ['inputs of numbers', { inputs: [1, 2] }, 400, `${only}${fields} no field is set`],
    ['inputs of arrays', { inputs: [[], {}] }, 400, `${only}${fields} no field is set`],
    [
      'two kinds of data',
      { inputs: [{ ...input, parameters: { binary_data_size: 4 } }] },
      400,
      `${only}${fields} set 'data' 'binary_data_size'`,
    ],
    [
      'shared memory',
      { inputs: [{ ...input, data: undefined, parameters: { shared_memory_region: 'r' } }] },
      404,
      "Unable to find shared memory region: 'r'",
    ],
    [
      'no name',
      { inputs: [{ ...input, name: undefined }] },
      500,
      "Unable to parse 'name': attempt to access non-existing object member 'name'",
    ],
    [
      'a number as name',
      { inputs: [{ ...input, name: 5 }] },
      500,
      "Unable to parse 'name': attempt to access JSON non-string as string",
    ],
    [
      'a number as shape',
      { inputs: [{ ...input, shape: 1 }] },
      500,
      "Unable to parse 'shape': attempt to access JSON non-array as array",
    ],
    [
      'a negative size',
      { inputs: [{ ...input, shape: [1, -1] }] },
      500,
      "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer",
    ],
    [
      'a nested shape',
      { inputs: [{ ...input, shape: [[1, 1]] }] },
      500,
      "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer",
    ],
    [
      'absurd sizes',
      { inputs: [{ ...input, shape: [4294967296, 4294967296] }] },
      400,
      "invalid shape for input 'INPUT0': shape [4294967296,4294967296] causes total element count to exceed maximum size of 9223372036854775807",
    ],
    [
      'a size beyond 63 bits',
      '{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[18446744073709551615],"data":[1]}]}',
      400,
      "invalid shape for input 'INPUT0': shape [-1] contains one or more invalid dimensions",
    ],
    [
      'a tensor beyond the limit',
      { inputs: [{ ...input, shape: [1, 100_000_000] }] },
      400,
      "JSON input 'INPUT0' has a byte_size (400000000 bytes) that exceeds the maximum allowed value of 67108864 bytes. Use --http-max-input-size to increase the limit.",
    ],
    ['an unknown datatype', { inputs: [{ ...input, datatype: 'FP8' }] }, 400, 'invalid datatype for input INPUT0'],
    [
      'null data',
      { inputs: [{ ...input, data: null }] },
      500,
      "Unable to parse 'data': attempt to access JSON non-array as array",
    ],
    [
      'too few values',
      { inputs: [{ ...input, shape: [1, 2] }] },
      500,
      "Unable to parse 'data': Shape does not match true shape of 'data' field",
    ],
    [
      'too many values',
      { inputs: [{ ...input, data: [1, 2] }] },
      500,
      "Unable to parse 'data': Shape does not match true shape of 'data' field",
    ],
    [
      'too many values, the last of another kind',
      { inputs: [{ ...input, data: [1, 'x'] }] },
      500,
      "Unable to parse 'data': Shape does not match true shape of 'data' field",
    ],
    [
      'true as a number',
      { inputs: [{ ...input, data: [true] }] },
      500,
      "Unable to parse 'data': attempt to access JSON non-number as double",
    ],
    [
      'null as a number',
      { inputs: [{ ...input, data: [null] }] },
      500,
      "Unable to parse 'data': attempt to access JSON non-number as double",
    ],
    [
      'deep nesting',
      `{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,1],"data":${'['.repeat(200)}1${']'.repeat(200)}}]}`,
      400,
      "Unable to parse 'data': JSON nesting depth exceeds maximum allowed limit (100)",
    ],
    [
      '10,000 brackets',
      `{"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,1],"data":${'['.repeat(10_000)}1${']'.repeat(10_000)}}]}`,
      400,
      'JSON nesting depth exceeds maximum allowed limit (1000)',
    ],
    [
      'a number as id',
      { inputs: [input], id: 5 },
      500,
      "Unable to parse 'id': attempt to access JSON non-string as string",
    ],
    [
      'parameters that are none',
      { inputs: [input], parameters: [1] },
      500,
      'failed to get request params.: attempt to get members for non-object',
    ],
    [
      'a reserved parameter',
      { inputs: [input], parameters: { triton_x: 1 } },
      400,
      "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
    ],
    [
      'a parameter of a wrong type',
      { inputs: [input], parameters: { p: [1] } },
      400,
      "parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'.",
    ],
    [
      'a negative priority',
      { inputs: [input], parameters: { priority: -1 } },
      500,
      "Unable to parse 'priority': attempt to access JSON non-unsigned-integer as unsigned-integer",
    ],
    [
      'a number as flag',
      { inputs: [input], parameters: { sequence_start: 1 } },
      500,
      "Unable to parse 'sequence_start': attempt to access JSON non-boolean as boolean",
    ],
    [
      'a text as form',
      { inputs: [input], parameters: { binary_data_output: 'true' } },
      500,
      "Unable to parse 'binary_data_output': attempt to access JSON non-boolean as boolean",
    ],
    [
      'outputs that are none',
      { inputs: [input], outputs: {} },
      500,
      "Unable to parse 'outputs': attempt to access JSON non-array as array",
    ],
    [
      'an output without name',
      { inputs: [input], outputs: [{}] },
      500,
      "Unable to parse 'name': attempt to access non-existing object member 'name'",
    ],
    [
      'an unknown output',
      { inputs: [input], outputs: [{ name: 'NOPE' }] },
      400,
      "unexpected inference output 'NOPE' for model 'fp32'",
    ],
    [
      'a negative number of classes',
      { inputs: [input], outputs: [{ name: 'OUTPUT0', parameters: { classification: -1 } }] },
      500,
      "Unable to set 'classification': attempt to access JSON non-unsigned-integer as unsigned-integer",
    ],
    [
      'shared memory and classes',
      { inputs: [input], outputs: [{ name: 'OUTPUT0', parameters: { classification: 1, shared_memory_region: 'r' } }] },
      400,
      "Output can't set both 'shared_memory_region' and 'classification'",
    ],
  ])('%s', async (_, body, status, error) => {
    expect(await errorOf(infer('fp32', typeof body === 'string' ? body : JSON.stringify(body)))).toEqual([
      status,
      error,
    ])
  })

  test('strings where the model wants them', async () => {
    expect(await errorOf(infer('string', inferBody([5], 'BYTES')))).toEqual([
      500,
      'Unable to parse JSON bytes array: attempt to access JSON non-string as string',
    ])
    expect(await errorOf(infer('string', inferBody(['a'], 'BYTES', [1, 2])))).toEqual([
      400,
      "[request id: <id_unknown>] expected 2 string elements for inference input 'INPUT0' for model 'string', got 1",
    ])
  })

  test('an unknown model comes before the body, a decoupled one too', async () => {
    expect(await errorOf(infer('nope', '{'))).toEqual([404, "Request for unknown model: 'nope' is not found"])
    expect(await errorOf(infer('stream', '{'))).toEqual([
      501,
      "HTTP end point doesn't support models with decoupled transaction policy",
    ])
  })

  test('a leading byte-order mark and unknown members are fine', async () => {
    expect(
      (await infer('fp32', `\ufeff ${inferBody([1], 'FP32', [1, 1], { foo: { bar: [1, 'x', {}] } })}`)).status,
    ).toBe(200)
  })
})

import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHandler } from './fetch.ts'
import type { HttpOptions } from './http-options.ts'
import { binaryBody, inferBody, type TestServer, testServer } from './test-server.ts'

let fixture: TestServer
let handle: (request: Request) => Promise<Response>

beforeAll(async () => {
  fixture = await testServer()
  handle = fetchHandler(fixture.server)
})
afterAll(() => fixture[Symbol.asyncDispose]())

type RequestBody = NonNullable<RequestInit['body']>

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: RequestBody
}

const call = (path: string, init: Call = {}, via = handle): Promise<Response> =>
  via(new Request(`http://host${path}`, { method: init.body === undefined ? 'GET' : 'POST', ...init }))

const infer = (model: string, body: RequestBody, headers: Record<string, string> = {}): Promise<Response> =>
  call(`/v2/models/${model}/infer`, { method: 'POST', body, headers })

/** Status and text of an error. */
async function errorOf(response: Promise<Response> | Response): Promise<[number, string]> {
  const answer = await response
  return [answer.status, ((await answer.json()) as { error: string }).error]
}

describe('paths and methods', () => {
  test.each([
    ['GET', '/v2/health/other', 404, 'Not Found', 'text/plain'],
    ['GET', '/v2/health/live/', 404, 'Not Found', 'text/plain'],
    ['GET', '/v2/models/', 404, 'Not Found', 'text/plain'],
    ['GET', '/v2/models/fp32/', 404, 'Not Found', 'text/plain'],
    ['GET', '/v2/models/fp32/foo', 404, 'Not Found', 'text/plain'],
    ['GET', '/v2/models/fp32/versions/-1', 404, 'Not Found', 'text/plain'],
    ['POST', '/v2/models/fp32/versions/abc/infer', 404, 'Not Found', 'text/plain'],
    ['GET', '/v2/logging/', 404, 'Not Found', 'text/plain'],
    ['POST', '/v2', 405, 'Method Not Allowed', 'application/json'],
    ['POST', '/v2/health/live', 405, 'Method Not Allowed', 'text/plain'],
    ['GET', '/v2/models/fp32/infer', 405, 'Method Not Allowed', 'text/plain'],
    ['POST', '/v2/models/fp32/ready', 405, 'Method Not Allowed', 'text/plain'],
    ['POST', '/v2/models/stats', 405, 'Method Not Allowed', 'application/json'],
    ['GET', '/v2/repository/index', 405, 'Method Not Allowed', 'application/json'],
    ['PUT', '/v2/trace/setting', 405, 'Method Not Allowed', 'application/json'],
    ['GET', '/v2/logging', 503, 'the server does not support dynamic logging', 'application/json'],
    ['GET', '/v2/models/fp32/trace/setting', 503, 'the server does not support tracing', 'application/json'],
    ['GET', '/v2/systemsharedmemory/status', 404, 'Not Found', 'text/plain'],
  ])('%s %s', async (method, path, status, error, contentType) => {
    const response = await call(path, { method })
    expect(response.headers.get('content-type')).toBe(contentType)
    expect(await errorOf(response)).toEqual([status, error])
  })

  test('a path is not decoded, a query is not looked at', async () => {
    expect(await errorOf(call('/v2/models/fp%332'))).toEqual([404, "Request for unknown model: 'fp%332' is not found"])
    expect((await call('/v2?x=1')).status).toBe(200)
  })
})

describe('health, metadata, configuration and statistics', () => {
  test('live, ready and model ready are empty', async () => {
    for (const path of [
      '/v2/health/live',
      '/v2/health/ready',
      '/v2/models/fp32/ready',
      '/v2/models/fp32/versions/1/ready',
    ]) {
      const response = await call(path)
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    expect(await errorOf(call('/v2/models/nope/ready'))).toEqual([400, 'Model version not ready'])
    expect(await errorOf(call('/v2/models/fp32/versions/99999999999999999999/ready'))).toEqual([
      400,
      "failed to get model version from specified version string '99999999999999999999' (details: stol), version should be an integral value > 0",
    ])
  })

  test('metadata and configuration', async () => {
    expect(await (await call('/v2')).json()).toEqual(fixture.server.metadata())
    expect(await (await call('/v2/models/fp32')).json()).toEqual({
      name: 'fp32',
      versions: ['1'],
      platform: 'identity',
      inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [-1, -1] }],
      outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: [-1, -1] }],
    })
    expect(await (await call('/v2/models/fp32/versions/1/config')).json()).toMatchObject({
      name: 'fp32',
      max_batch_size: 8,
    })
    expect(await errorOf(call('/v2/models/fp32/versions/9'))).toEqual([
      404,
      "Request for unknown model: 'fp32' version 9 is not found",
    ])
  })

  test('statistics of one and of all', async () => {
    const one = (await (await call('/v2/models/fp32/stats')).json()) as { model_stats: { name: string }[] }
    expect(one.model_stats.map(({ name }) => name)).toEqual(['fp32'])
    const all = (await (await call('/v2/models/stats')).json()) as { model_stats: { name: string }[] }
    expect(all.model_stats.length).toBeGreaterThan(10)
    expect(await errorOf(call('/v2/models/nope/stats'))).toEqual([400, "requested model 'nope' is not available"])
  })
})

describe('infer with JSON', () => {
  test.each([
    ['fp32', 'FP32', [0.1, -2.5, 1e39], '[0.10000000149011612,-2.5,Infinity]'],
    ['fp64', 'FP64', [0.1, 3, -1e-300], '[0.1,3.0,-1e-300]'],
    ['int8', 'INT8', [200, -200, 128], '[-56,56,-128]'],
    ['uint8', 'UINT8', [300, 256, 511], '[44,0,255]'],
    ['int32', 'INT32', [-2147483648, 2147483648, 7], '[-2147483648,-2147483648,7]'],
    ['uint32', 'UINT32', [4294967296, 4294967297, 4294967295], '[0,1,4294967295]'],
    ['bool', 'BOOL', [true, false, true], '[true,false,true]'],
    ['string', 'BYTES', ['a', '', 'h\u00e9llo "x"\n'], '["a","","h\u00e9llo \\"x\\"\\n"]'],
  ])('%s', async (model, datatype, data, expected) => {
    const response = await infer(model, inferBody(data, datatype))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe(
      `{"model_name":"${model}","model_version":"1","outputs":[{"name":"OUTPUT0","datatype":"${datatype}","shape":[1,3],"data":${expected}}]}`,
    )
  })

  test('64-bit integers keep every bit', async () => {
    const signed = '[-9223372036854775808,9007199254740993,9223372036854775807,-1,4294967296]'
    const body = inferBody([], 'INT64', [1, 5]).replace('"data":[]', `"data":${signed}`)
    expect(await (await infer('int64', body)).text()).toContain(`"data":${signed}`)
    const unsigned = '[18446744073709551615,9007199254740993,4294967295]'
    const more = inferBody([], 'UINT64', [1, 3]).replace('"data":[]', `"data":${unsigned}`)
    expect(await (await infer('uint64', more)).text()).toContain(`"data":${unsigned}`)
  })

  test('nested data, NaN, an id, many values', async () => {
    const nested = inferBody([[[1]], [[2.5]]], 'FP32', [1, 2], { id: 'a "b" \u00e9' })
    expect(await (await infer('fp32', nested)).json()).toMatchObject({
      id: 'a "b" \u00e9',
      outputs: [{ shape: [1, 2], data: [1, 2.5] }],
    })
    const special = inferBody([], 'FP32', [1, 3]).replace('"data":[]', '"data":[NaN,-Infinity,Inf]')
    expect(await (await infer('fp32', special)).text()).toContain('"data":[NaN,-Infinity,Infinity]')
    const values = Array.from({ length: 5000 }, (_, i) => Math.fround(Math.sin(i)))
    const answer = (await (await infer('fp32', inferBody(values))).json()) as { outputs: { data: number[] }[] }
    expect(answer.outputs[0]?.data).toEqual(values)
  })

  test('the wanted outputs, in order of their names', async () => {
    const inputs = [
      { name: 'A', datatype: 'INT32', shape: [1, 2], data: [1, 2] },
      { name: 'B', datatype: 'INT32', shape: [1, 2], data: [3, 4] },
    ]
    const names = async (outputs?: object[]): Promise<string[]> => {
      const answer = await (await infer('pair', JSON.stringify({ inputs, outputs }))).json()
      return (answer as { outputs: { name: string }[] }).outputs.map(({ name }) => name)
    }
    expect(await names()).toEqual(['OUT_A', 'OUT_B'])
    expect(await names([{ name: 'OUT_B' }])).toEqual(['OUT_B'])
    expect(await names([{ name: 'OUT_B' }, { name: 'OUT_A' }])).toEqual(['OUT_A', 'OUT_B'])
  })

  test('parameters reach the model', async () => {
    const parameters =
      '"parameters":{"s":"x","i":-3,"d":1.5,"t":true,"big":9007199254740993,"__proto__":"y","sequence_id":7,"priority":1,"timeout":5000}'
    await infer('fp32', inferBody([1]).replace(/}$/, `,${parameters}}`))
    const request = fixture.seen.at(-1)
    expect(Object.entries(request?.parameters ?? {})).toEqual([
      ['s', 'x'],
      ['i', -3],
      ['d', 1.5],
      ['t', true],
      ['big', 9007199254740993n],
      ['__proto__', 'y'],
    ])
    expect(request).toMatchObject({ correlationId: 7n, priority: 1, timeoutMicroseconds: 5000 })
  })

  test('labels and classes', async () => {
    const body = inferBody([1, 3, 2], 'FP32', [1, 3], {
      outputs: [{ name: 'OUTPUT0', parameters: { classification: 2 } }],
    })
    expect(await (await infer('labelled', body)).json()).toMatchObject({
      outputs: [{ datatype: 'BYTES', shape: [1, 2], data: ['3.000000:1:dog', '2.000000:2'] }],
    })
    const empty = inferBody([], 'FP32', [1, 0], { outputs: [{ name: 'OUTPUT0', parameters: { classification: 2 } }] })
    expect(await errorOf(infer('fp32', empty))).toEqual([400, "output 'OUTPUT0' has no elements to classify"])
  })
})

describe('infer with binary tensors', () => {
  const inputs = [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], parameters: { binary_data_size: 8 } }]
  const floats = Buffer.from(Float32Array.of(1.5, -2).buffer)

  test('in and out', async () => {
    const { body, headerLength } = binaryBody({ inputs, parameters: { binary_data_output: true } }, floats)
    const response = await infer('fp32', body, { 'Inference-Header-Content-Length': headerLength })
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    const bytes = Buffer.from(await response.arrayBuffer())
    const length = Number(response.headers.get('inference-header-content-length'))
    expect(JSON.parse(bytes.toString('utf8', 0, length))).toMatchObject({
      outputs: [{ shape: [1, 2], parameters: { binary_data_size: 8 } }],
    })
    expect(bytes.subarray(length)).toEqual(floats)
  })

  test('a listed output is binary only when it says so', async () => {
    const parameters = { binary_data_output: true }
    const outputs = [{ name: 'OUTPUT0' }]
    const { body, headerLength } = binaryBody({ inputs, outputs, parameters }, floats)
    const response = await infer('fp32', body, { 'Inference-Header-Content-Length': headerLength })
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  test('FP16 goes in and out in binary only', async () => {
    const half = [{ name: 'INPUT0', datatype: 'FP16', shape: [1, 2], parameters: { binary_data_size: 4 } }]
    const { body, headerLength } = binaryBody({ inputs: half }, Buffer.alloc(4))
    const headers = { 'Inference-Header-Content-Length': headerLength }
    expect(await errorOf(infer('fp16', body, headers))).toEqual([
      400,
      'sending FP16 data via JSON is not supported. Please use the binary data format for output',
    ])
    expect(await errorOf(infer('fp16', inferBody([1, 2], 'FP16')))).toEqual([
      400,
      'receiving FP16 data via JSON is not supported. Please use the binary data format for input INPUT0',
    ])
  })

  test('a raw request is the one input, and answers in binary', async () => {
    const response = await infer('fp32', floats, { 'Inference-Header-Content-Length': '0' })
    const length = Number(response.headers.get('inference-header-content-length'))
    expect(Buffer.from(await response.arrayBuffer()).subarray(length)).toEqual(floats)
  })

  test.each([
    ['-1', 'inference header size should be in range (0, 124), got: -1'],
    ['125', 'inference header size should be in range (0, 124), got: 125'],
    [
      '99999999999',
      'Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648, 2147483647 ], got: 99999999999',
    ],
  ])('header length %s', async (headerLength, error) => {
    const { body } = binaryBody({ inputs, id: 'something1' }, floats)
    expect(body.byteLength).toBe(124)
    expect(await errorOf(infer('fp32', body, { 'Inference-Header-Content-Length': headerLength }))).toEqual([
      400,
      error,
    ])
  })

  test('too few and too many bytes', async () => {
    const short = binaryBody({ inputs }, floats.subarray(0, 5))
    expect(await errorOf(infer('fp32', short.body, { 'Inference-Header-Content-Length': short.headerLength }))).toEqual(
      [400, "unexpected size for input 'INPUT0', expecting 3 additional bytes for model 'fp32'"],
    )
    const long = binaryBody({ inputs }, floats, Buffer.from('x'))
    expect(await errorOf(infer('fp32', long.body, { 'Inference-Header-Content-Length': long.headerLength }))).toEqual([
      400,
      "unexpected additional input data for model 'fp32'",
    ])
  })
})

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

describe('compression', () => {
  test('both ways', async () => {
    const body = new Uint8Array(gzipSync(inferBody([1, 2])))
    const response = await infer('fp32', body, { 'Content-Encoding': 'gzip', 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const text = gunzipSync(Buffer.from(await response.arrayBuffer())).toString()
    expect(JSON.parse(text)).toMatchObject({ outputs: [{ data: [1, 2] }] })
  })

  test('an error is not compressed', async () => {
    const response = await infer('fp32', '{}', { 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.status).toBe(500)
  })

  test.each(['br', 'GZIP', 'gzip, gzip', ''])('encoding %j is not understood', async (encoding) => {
    const response = await infer('fp32', inferBody([1]), { 'Content-Encoding': encoding })
    expect(response.headers.get('accept-encoding')).toBe('gzip, deflate')
    expect(await errorOf(response)).toEqual([501, 'Unsupported compression type'])
  })
})

describe('options', () => {
  const other = (options: HttpOptions) => fetchHandler(fixture.server, options)
  const inferPath = '/v2/models/fp32/infer'

  test('limits', async () => {
    const small = other({ maxInputSize: 100 })
    const large = 'x'.repeat(101)
    const hint = 'Use --http-max-input-size to increase the limit.'
    expect(await errorOf(call(inferPath, { body: large }, small))).toEqual([
      400,
      `request JSON size of 101 bytes exceeds the maximum allowed input size of 100 bytes. ${hint}`,
    ])
    expect(
      await errorOf(call(inferPath, { body: large, headers: { 'Inference-Header-Content-Length': '0' } }, small)),
    ).toEqual([
      400,
      `Raw input has a byte_size (101 bytes) that exceeds the maximum allowed value of 100 bytes. ${hint}`,
    ])
    const bomb = new Uint8Array(gzipSync(large))
    expect(await errorOf(call(inferPath, { body: bomb, headers: { 'Content-Encoding': 'gzip' } }, small))).toEqual([
      400,
      `Decompressed data size exceeds the maximum allowed value of 100 bytes. ${hint}`,
    ])
    expect(await errorOf(call('/v2/repository/index', { body: large }, small))).toEqual([
      400,
      `request JSON size of 101 bytes exceeds the maximum allowed input size of 100 bytes. ${hint}`,
    ])
  })

  test('restricted APIs want their header, whatever the method', async () => {
    const restricted = other({
      restrictedApis: [
        { apis: ['model-repository', 'inference'], key: 'admin-key', value: 'secret' },
        { apis: ['shared-memory'], key: 'other', value: 'o' },
      ],
    })
    const refusal = (key: string): [number, string] => [403, `This API is restricted, expecting header '${key}'`]
    expect(await errorOf(call('/v2/repository/index', {}, restricted))).toEqual(refusal('admin-key'))
    expect(await errorOf(call(inferPath, { body: inferBody([1]) }, restricted))).toEqual(refusal('admin-key'))
    expect(await errorOf(call('/v2/systemsharedmemory/status', {}, restricted))).toEqual(refusal('other'))
    const headers = { 'admin-key': 'secret' }
    expect((await call(inferPath, { body: inferBody([1]), headers }, restricted)).status).toBe(200)
    expect((await call('/v2/health/live', {}, restricted)).status).toBe(200)
  })

  test('matching headers become parameters, before those of the body', async () => {
    const forwarding = other({ headerForwardPattern: '(?i)X-FWD-.*|timeout' })
    const headers = { 'x-fwd-two': 'header', 'x-other': 'no' }
    const body = inferBody([1], 'FP32', [1, 1], { parameters: { 'x-fwd-two': 'body', own: 1 } })
    await call(inferPath, { body, headers }, forwarding)
    expect({ ...fixture.seen.at(-1)?.parameters }).toEqual({ 'x-fwd-two': 'header', own: 1 })
    expect(await errorOf(call(inferPath, { body, headers: { timeout: '1' } }, forwarding))).toEqual([
      400,
      "Header 'timeout' is reserved for Triton usage and cannot be forwarded.",
    ])
  })

  test.each<[string, HttpOptions, string]>([
    ['a limit of nothing', { maxInputSize: 0 }, 'maxInputSize must be a whole number of bytes above 0, got 0'],
    ['a broken pattern', { headerForwardPattern: '(' }, 'headerForwardPattern is not a regular expression: ('],
    [
      'an API in two groups',
      {
        restrictedApis: [
          { apis: ['health'], key: 'a', value: 'b' },
          { apis: ['health'], key: 'c', value: 'd' },
        ],
      },
      "restricted api 'health' can not be specified in multiple config groups",
    ],
  ])('%s', (_, options, error) => {
    expect(() => other(options)).toThrow(error)
  })
})

describe('repository', () => {
  const post = (path: string, body = ''): Promise<Response> => call(path, { method: 'POST', body })

  test('index', async () => {
    for (const path of ['/v2/repository/index', '/v2/repository/somewhere/index']) {
      expect(await (await post(path)).json()).toEqual(await fixture.server.index())
    }
    expect((await post('/v2/repository/index', '{"ready": true}')).status).toBe(200)
    expect(await errorOf(post('/v2/repository/index', '{"ready": 1}'))).toEqual([
      400,
      "Invalid value for 'ready': expected a boolean",
    ])
    expect(await errorOf(post('/v2/repository/index', '{'))).toEqual([
      500,
      'failed to parse the request JSON buffer: Missing a name for object member. at 1',
    ])
  })

  const load = '/v2/repository/models/fp32/load'
  test.each([
    [load, '', 503, 'explicit model load / unload is not allowed if polling is enabled'],
    [load, '{', 500, 'failed to parse the request JSON buffer: Missing a name for object member. at 1'],
    [load, '{"parameters": 5}', 500, 'attempt to get members for non-object'],
    [load, '{"parameters": {"foo": 1}}', 500, 'attempt to access JSON non-string as string'],
    [load, '{"parameters": {"foo": "x"}}', 500, 'unexpected error on creating Triton parameter'],
    ['/v2/repository/r/models/fp32/load', '', 501, "'repository_name' specification is not supported"],
    ['/v2/repository/models/fp32/unload', '', 503, 'explicit model load / unload is not allowed if polling is enabled'],
  ])('%s %s', async (path, body, status, error) => {
    expect(await errorOf(post(path, body))).toEqual([status, error])
  })

  test('load with another configuration, unload, and both switched off', async () => {
    await using explicit = await testServer([], { modelControl: 'explicit' })
    const via = fetchHandler(explicit.server)
    const body = JSON.stringify({
      parameters: {
        config: JSON.stringify({
          ...((await (await call('/v2/models/fp32/config')).json()) as object),
          max_batch_size: 2,
        }),
      },
    })
    expect((await call(load, { body }, via)).status).toBe(200)
    expect(await (await call('/v2/models/fp32/config', {}, via)).json()).toMatchObject({ max_batch_size: 2 })
    const unload = { method: 'POST', body: '{"parameters": {"unload_dependents": "yes"}}' }
    expect((await call('/v2/repository/models/fp32/unload', unload, via)).status).toBe(200)
    expect(await errorOf(call('/v2/models/fp32/ready', {}, via))).toEqual([400, 'Model version not ready'])
    const off = fetchHandler(explicit.server, { repositoryControl: false })
    expect(await errorOf(call(load, { body }, off))).toEqual([501, 'model load and unload over HTTP are switched off'])
  })
})

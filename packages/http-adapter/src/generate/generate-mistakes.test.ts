import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import type { HttpOptions } from '../http-options.ts'
import { errorOf } from '../test-client.ts'
import { type GenerateServer, generateServer } from './test-models.ts'

let fixture: GenerateServer

beforeAll(async () => {
  fixture = await generateServer()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const call = (path: string, init: RequestInit, options: HttpOptions = {}): Promise<Response> =>
  fetchHandler(fixture.server, options)(new Request(`http://host/v2/models/${path}`, init))
const post = (path: string, body: string, headers: Record<string, string> = {}, options: HttpOptions = {}) =>
  call(path, { method: 'POST', body, headers }, options)

const lead = 'failed to parse the request JSON buffer:'
const nonString = 'attempt to access JSON non-string as string'

describe.each(['generate', 'generate_stream'])('%s', (action) => {
  test.each([
    ['no JSON', 'letters', '{', 500, `${lead} Missing a name for object member. at 1`],
    ['no body', 'letters', '', 500, `${lead} The document is empty. at 0`],
    ['no object', 'letters', '[1]', 500, 'attempt to get members for non-object'],
    ['an id that is no text', 'letters', '{"id": 3}', 500, `Unable to parse 'id': ${nonString}`],
    ['a text input that is none', 'letters', '{"TEXT": 1}', 500, `Unable to parse JSON bytes array: ${nonString}`],
    ['one among texts', 'string', '{"IN": ["a", 1]}', 500, `Unable to parse JSON bytes array: ${nonString}`],
    ['null as a parameter', 'letters', '{"x": null}', 400, parameterType('x')],
    ['an array as a parameter', 'letters', '{"x": [1]}', 400, parameterType('x')],
    [
      'an object in parameters',
      'letters',
      '{"parameters": {"x": {}}}',
      400,
      `Converting keyword: 'parameters': ${parameterType('x')}`,
    ],
    [
      'parameters that are no object',
      'letters',
      '{"parameters": 1}',
      500,
      "Expected JSON object for keyword: 'parameters': attempt to access JSON non-object as object",
    ],
    [
      'an input of that name',
      'nested',
      '{"parameters": {"a": 1}}',
      400,
      "Keyword 'parameters' for nested schema also given as input tensor name",
    ],
    ['a number that is no integer', 'int8', '{"IN": 1.5}', 500, wrongLeaf('signed-integer')],
    ['one among integers', 'int8', '{"IN": [1, 1.5]}', 500, wrongLeaf('signed-integer')],
    ['a negative one', 'uint8', '{"IN": -1}', 500, wrongLeaf('unsigned-integer')],
    ['one beyond 63 bits', 'int64', '{"IN": 9223372036854775808}', 500, wrongLeaf('signed-integer')],
    ['a number as a boolean', 'bool', '{"IN": 1}', 500, wrongLeaf('boolean')],
    [
      'a boolean as a float',
      'fp32',
      '{"IN": true}',
      500,
      "Unable to parse 'data': attempt to access JSON non-number as double",
    ],
    ['null', 'fp32', '{"IN": null}', 500, "Unable to parse 'data': attempt to access JSON non-number as double"],
    [
      'arrays in the array',
      'int8',
      '{"IN": [[1, 2]]}',
      500,
      "Unable to parse 'data': Shape does not match true shape of 'data' field",
    ],
    [
      'too few elements',
      'letters',
      '{"TEXT": ["a", "b"]}',
      400,
      "The schema can not convert input 'TEXT' to tensor with proper shape",
    ],
  ])('%s', async (_, model, body, status, text) => {
    const response = await post(`${model}/${action}`, body)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await errorOf(response)).toEqual([status, text])
  })

  test('an empty value is a tensor of no shape, which the model does not take', async () => {
    expect(await errorOf(post(`letters/${action}`, '{"TEXT": []}'))).toEqual([
      400,
      expect.stringContaining("unexpected shape for input 'TEXT' for model 'letters'"),
    ])
  })

  test('an input that is missing, and one that is there twice', async () => {
    expect(await errorOf(post(`letters/${action}`, '{}'))).toEqual([
      400,
      expect.stringContaining("missing required input(s) ['TEXT']"),
    ])
    const [status] = await errorOf(post(`letters/${action}`, '{"TEXT": "a", "TEXT": "b"}'))
    expect(status).toBe(400)
  })

  test('another method, another model, another version, another path', async () => {
    const get = await call(`letters/${action}`, { method: 'GET' })
    expect(get.headers.get('content-type')).toBe('application/json')
    expect(await errorOf(get)).toEqual([405, 'Method Not Allowed'])
    expect(await errorOf(post(`none/${action}`, '{}'))).toEqual([404, "Request for unknown model: 'none' is not found"])
    expect((await post(`letters/versions/7/${action}`, '{}')).status).toBe(404)
    expect(await errorOf(post(`letters/versions/x/${action}`, '{}'))).toEqual([404, 'Not Found'])
    expect(await errorOf(post(`letters/${action}/more`, '{}'))).toEqual([404, 'Not Found'])
  })

  test('a body that is compressed, also for a model that is not there', async () => {
    const text = "Unsupported content-encoding, only 'identity' is supported."
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const response = post(`letters/${action}`, '{}', { 'Content-Encoding': encoding })
      expect(await errorOf(response)).toEqual([400, text])
    }
    expect((await post(`none/${action}`, '{}', { 'Content-Encoding': 'gzip' })).status).toBe(404)
    const plain = await post(`fp32/${action}`, '{"IN": 1}', { 'Content-Encoding': 'identity' })
    expect(plain.status).toBe(200)
  })

  test('more bytes than allowed', async () => {
    const options = { maxInputSize: 40 }
    const body = JSON.stringify({ IN: 'x'.repeat(50) })
    expect(await errorOf(post(`string/${action}`, body, {}, options))).toEqual([
      400,
      `request JSON size of ${body.length} bytes exceeds the maximum allowed input size of 40 bytes. Use --http-max-input-size to increase the limit.`,
    ])
    expect(await errorOf(post(`fp64/${action}`, '{"IN": [1,1,1,1,1,1]}', {}, options))).toEqual([
      400,
      "request size of 0 bytes with input 'IN' of size 48 bytes exceeds the maximum allowed input size of 40. Use --http-max-input-size to increase the limit.",
    ])
  })

  test('inference that is restricted', async () => {
    const options: HttpOptions = { restrictedApis: [{ apis: ['inference'], key: 'secret', value: 'yes' }] }
    const refused = await post(`fp32/${action}`, '{"IN": 1}', {}, options)
    expect(await errorOf(refused)).toEqual([403, "This API is restricted, expecting header 'secret'"])
    expect((await post(`fp32/${action}`, '{"IN": 1}', { secret: 'yes' }, options)).status).toBe(200)
  })
})

function parameterType(name: string): string {
  return `parameter '${name}' has invalid type. It should be either 'int', 'bool', or 'string'.`
}

function wrongLeaf(type: string): string {
  return `Unable to parse 'data': attempt to access JSON non-${type} as ${type}`
}

import { gzipSync } from 'node:zlib'
import { silentLogger } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { fetchHandler } from './fetch.ts'
import { createHandler } from './handler.ts'
import type { HttpOptions } from './http-options.ts'
import { errorOf, useTestClient } from './test-client.ts'
import { binaryBody, inferBody } from './test-server.ts'

const client = useTestClient()
const { call } = client

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
    ['GET', '/v2/models/nope/trace/setting', 400, 'Request for unknown model : nope', 'application/json'],
    ['GET', '/v2/systemsharedmemory/region/r/foo', 404, 'Not Found', 'text/plain'],
    ['POST', '/v2/cudasharedmemory/status', 405, 'Method Not Allowed', 'application/json'],
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

describe('options', () => {
  const other = (options: HttpOptions) => fetchHandler(client.fixture.server, options)
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

  test('a body of binary tensors has a limit of its own', async () => {
    const small = other({ maxBodySize: 300 })
    const inputs = [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 50], parameters: { binary_data_size: 200 } }]
    const { body, headerLength } = binaryBody({ inputs }, new Uint8Array(200))
    const headers = { 'Inference-Header-Content-Length': headerLength }
    expect((await call(inferPath, { body: body.subarray(0, -1), headers }, small)).status).toBe(400)
    expect(await errorOf(call(inferPath, { body, headers }, small))).toEqual([
      400,
      `request size of ${body.length} bytes exceeds the maximum allowed body size of 300 bytes. Use --http-max-body-size to increase the limit.`,
    ])
    expect((await call(inferPath, { body, headers })).status).toBe(200)
  })

  test('a compressed body is not read far beyond what may be in it', async () => {
    const small = other({ maxInputSize: 1000 })
    const padded = Buffer.concat([gzipSync(inferBody([1])), Buffer.alloc(4000)])
    const headers = { 'Content-Encoding': 'gzip' }
    expect((await call(inferPath, { body: padded.subarray(0, 3000), headers }, small)).status).toBe(200)
    expect((await errorOf(call(inferPath, { body: padded, headers }, small)))[1]).toContain('Decompressed data size')
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

  test('who is not authorized learns nothing, but what to show', async () => {
    const calls: string[] = []
    const guarded = other({
      restrictedApis: [{ apis: ['statistics'], key: 'k', value: 'v' }],
      async authorize({ protocol, api, path, header }) {
        calls.push(`${protocol} ${api} ${path}`)
        return header('authorization') === 'Bearer good'
      },
    })
    const headers = { authorization: 'Bearer good' }
    const refused = await call(inferPath, { body: inferBody([1]) }, guarded)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(await errorOf(refused)).toEqual([401, "not authorized for 'inference': valid credentials are needed"])
    expect((await call('/v2/models/nope/infer', { method: 'PUT' }, guarded)).status).toBe(401)
    expect((await call('/v2/health/live', {}, guarded)).status).toBe(401)
    expect((await call('/v2/models/stats', {}, guarded)).status).toBe(401)
    expect((await call('/v2/models/stats', { headers }, guarded)).status).toBe(403)
    expect((await call(inferPath, { body: inferBody([1]), headers }, guarded)).status).toBe(200)
    expect(calls.slice(0, 3)).toEqual([
      `http inference ${inferPath}`,
      'http inference /v2/models/nope/infer',
      'http health /v2/health/live',
    ])
  })

  test('what fails unexpectedly is logged, and the client hears no more than that', async () => {
    const logged: object[] = []
    const logger = { ...silentLogger, error: (fields: object) => logged.push(fields) }
    const secret = new TypeError('the password is hunter2')
    const handle = createHandler(client.fixture.server, { logger })
    const { status, body } = await handle({
      ...{ method: 'POST', path: inferPath, contentLength: undefined, peer: undefined, signal: undefined },
      header: () => undefined,
      headers: () => [],
      body: () => Promise.reject(secret),
    })
    expect([status, body]).toEqual([500, '{"error":"internal error"}'])
    expect(logged).toEqual([{ module: 'http', err: secret }])
  })

  test('matching headers become parameters, before those of the body', async () => {
    const forwarding = other({ headerForwardPattern: '(?i)X-FWD-.*|timeout' })
    const headers = { 'x-fwd-two': 'header', 'x-other': 'no' }
    const body = inferBody([1], 'FP32', [1, 1], { parameters: { 'x-fwd-two': 'body', own: 1 } })
    await call(inferPath, { body, headers }, forwarding)
    expect({ ...client.fixture.seen.at(-1)?.parameters }).toEqual({ 'x-fwd-two': 'header', own: 1 })
    expect(await errorOf(call(inferPath, { body, headers: { timeout: '1' } }, forwarding))).toEqual([
      400,
      "Header 'timeout' is reserved for Triton usage and cannot be forwarded.",
    ])
  })

  test.each<[string, HttpOptions, string]>([
    ['a limit of nothing', { maxInputSize: 0 }, 'maxInputSize must be a whole number above 0, got 0'],
    ['a larger body than can be', { maxBodySize: 2 ** 31 }, 'maxBodySize must be at most 2147483647, got 2147483648'],
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

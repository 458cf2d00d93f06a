import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { errorOf, useTestClient } from '../test-client.ts'
import { binaryBody, inferBody } from '../test-server.ts'

const client = useTestClient()
const { infer } = client

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

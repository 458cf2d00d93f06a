import { packBytes, TritonError } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

const int32 = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer)
const ints = (bytes: Uint8Array): number[] => [...new Int32Array(Uint8Array.from(bytes).buffer)]

/** A request with one input `IN`. */
const request = (model: string, more: object = {}, input: object = {}): object => ({
  model_name: model,
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [2], ...input }],
  raw_input_contents: [int32(3, 4)],
  ...more,
})

const typed = (model: string, contents: object, more: object = {}): object => ({
  model_name: model,
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [2], contents, ...more }],
})

describe('ModelInfer', () => {
  test('answers with raw outputs', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    const response = await caller.unary('ModelInfer', request('int32', { id: 'r1', model_version: '1' }))
    expect(response).toMatchObject({ model_name: 'int32', model_version: '1', id: 'r1' })
    expect(response.outputs).toMatchObject([{ name: 'OUT', datatype: 'INT32', shape: [2n], parameters: {} }])
    expect(response.raw_output_contents.map(ints)).toEqual([[3, 4]])
  })

  test('takes typed contents, and texts', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server)
    const numbers = await caller.unary('ModelInfer', typed('int32', { int_contents: [-1, 7] }))
    expect(numbers.raw_output_contents.map(ints)).toEqual([[-1, 7]])
    const texts = ['', 'héllo'].map((text) => Buffer.from(text))
    const bytes = await caller.unary('ModelInfer', typed('string', { bytes_contents: texts }, { datatype: 'BYTES' }))
    expect(Buffer.from(bytes.raw_output_contents[0])).toEqual(Buffer.from(packBytes(texts)))
  })

  test('asks for wanted outputs in order of their names, each once', async () => {
    await using fixture = await testServer()
    const inputs = ['A', 'B'].map((name) => ({ name, datatype: 'INT32', shape: [1, 2] }))
    const outputs = ['OUT_B', 'OUT_A', 'OUT_B'].map((name) => ({ name }))
    const raw_input_contents = [int32(1, 2), int32(3, 4)]
    const pair = { model_name: 'pair', inputs, outputs, raw_input_contents }
    const response = await new Caller(fixture.server).unary('ModelInfer', pair)
    expect(response.outputs.map(({ name }: { name: string }) => name)).toEqual(['OUT_A', 'OUT_B'])
    expect(response.raw_output_contents.map(ints)).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  test('replaces outputs by their best classes', async () => {
    await using fixture = await testServer()
    const classes = (classification: object): object => ({
      model_name: 'scores',
      inputs: [{ name: 'IN', datatype: 'FP32', shape: [1, 3], contents: { fp32_contents: [0.25, 3, -1] } }],
      outputs: [{ name: 'OUT', parameters: { classification } }],
    })
    const caller = new Caller(fixture.server)
    const { outputs, raw_output_contents } = await caller.unary('ModelInfer', classes({ int64_param: 2 }))
    expect(outputs).toMatchObject([{ datatype: 'BYTES', shape: [1n, 2n] }])
    expect(Buffer.from(raw_output_contents[0])).toEqual(Buffer.from(packBytes(['3.000000:1:dog', '0.250000:0:cat'])))
    await expect(caller.unary('ModelInfer', classes({ string_param: '2' }))).rejects.toThrow(
      "invalid value type for 'classification' parameter, expected int64_param",
    )
  })

  test('gives the model what the parameters say', async () => {
    await using fixture = await testServer()
    const parameters = {
      text: { string_param: 'a' },
      flag: { bool_param: false },
      number: { int64_param: '9007199254740993' },
      half: { double_param: 0.5 },
      __proto__: { int64_param: 1 },
      sequence_id: { int64_param: -1 },
      sequence_start: { bool_param: true },
      sequence_end: { bool_param: true },
      priority: { uint64_param: 2 },
      timeout: { int64_param: 1_000_000 },
    }
    const answer = new Caller(fixture.server).unary('ModelInfer', request('manual', { parameters }))
    const { requests, finish } = await fixture.manual.next()
    const [seen] = requests
    expect(seen).toMatchObject({
      correlationId: 2n ** 64n - 1n,
      sequenceStart: true,
      sequenceEnd: true,
      timeoutMicroseconds: 1_000_000,
    })
    expect(seen?.parameters).toEqual({ text: 'a', flag: false, number: 9007199254740993n, half: 0.5 })
    seen?.fail(new TritonError('ALREADY_EXISTS', 'no'))
    finish()
    await expect(answer).rejects.toMatchObject({ code: 'ALREADY_EXISTS', message: 'no' })
  })

  test('forwards metadata that match, which win over parameters', async () => {
    await using fixture = await testServer()
    const caller = new Caller(fixture.server, { headerForwardPattern: 'x-.*' })
    const parameters = { 'x-a': { string_param: 'mine' } }
    const metadata = { 'x-a': '1', 'x-b': '2', other: '3' }
    const answer = caller.unary('ModelInfer', request('manual', { parameters }), { metadata })
    const { requests, finish } = await fixture.manual.next()
    expect(requests[0]?.parameters).toEqual({ 'x-a': '1', 'x-b': '2' })
    requests[0]?.respond({ outputs: {} })
    finish()
    await answer.catch(() => {})
    const reserved = new Caller(fixture.server, { headerForwardPattern: /priority/ })
    await expect(reserved.unary('ModelInfer', request('int32'), { metadata: { priority: '1' } })).rejects.toThrow(
      "Header 'priority' is reserved for Triton usage and cannot be forwarded.",
    )
  })

  test('is cancelled with its call', async () => {
    await using fixture = await testServer()
    const controller = new AbortController()
    const { signal } = controller
    const answer = new Caller(fixture.server).unary('ModelInfer', request('manual'), { signal })
    const { requests, finish } = await fixture.manual.next()
    controller.abort()
    await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(requests[0]?.signal.aborted).toBe(true)
    finish()
  })
})

const missing = "unable to find data for input tensor 'IN' for model 'int32' in request."

test.each([
  [{ model_name: 'nope' }, 'NOT_FOUND', "Request for unknown model: 'nope' is not found"],
  [request('int32', { model_version: '9' }), 'NOT_FOUND', "Request for unknown model: 'int32' version 9 is not found"],
  [
    request('int32', { model_version: 'x' }),
    'INVALID_ARG',
    "failed to get model version from specified version string 'x' (details: stol), version should be an integral value > 0",
  ],
  [request('stream'), 'UNSUPPORTED', "ModelInfer RPC doesn't support models with decoupled transaction policy"],
  [request('int32', { raw_input_contents: [] }), 'INVALID_ARG', missing],
  [
    request('int32', {}, { contents: {} }),
    'INVALID_ARG',
    "contents field must not be specified when using raw_input_contents for 'IN' for model 'int32'",
  ],
  [
    request('int32', {}, { datatype: 'INT33' }),
    'INVALID_ARG',
    "[request id: <id_unknown>] inference input 'IN' data-type is '<invalid>', but model 'int32' expects 'INT32'",
  ],
  [
    request('int32', { outputs: [{ name: 'NOPE' }] }),
    'INVALID_ARG',
    "unexpected inference output 'NOPE' for model 'int32'",
  ],
  [
    request('int32', { parameters: { sequence_id: { bool_param: true } } }),
    'INVALID_ARG',
    "invalid value type for 'sequence_id' parameter, expected int64_param or string_param.",
  ],
  [
    request('int32', { parameters: { sequence_end: { int64_param: 1 } } }),
    'INVALID_ARG',
    "invalid value type for 'sequence_end' parameter, expected bool_param.",
  ],
  [
    request('int32', { parameters: { priority: { int64_param: -1 } } }),
    'INVALID_ARG',
    "invalid value for 'priority', expected value >= 0.",
  ],
  [
    request('int32', { parameters: { priority: { string_param: '1' } } }),
    'INVALID_ARG',
    "invalid value type for 'priority' parameter, expected int64_param or uint64_param.",
  ],
  [
    request('int32', { parameters: { timeout: { uint64_param: 1 } } }),
    'INVALID_ARG',
    "invalid value type for 'timeout' parameter, expected int64_param.",
  ],
  [
    request('int32', { parameters: { own: { uint64_param: 1 } } }),
    'INVALID_ARG',
    "invalid value type for 'own' parameter, expected int64_param, bool_param, or string_param.",
  ],
  [
    request('int32', { parameters: { triton_x: { bool_param: true } } }),
    'INVALID_ARG',
    "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response",
  ],
  [
    request('int32', { parameters: { triton_enable_empty_final_response: { int64_param: 1 } } }),
    'INVALID_ARG',
    "invalid value type for 'triton_enable_empty_final_response' parameter, expected bool_param.",
  ],
  [
    request('int32', {}, { parameters: { shared_memory_region: { int64_param: 1 } } }),
    'INVALID_ARG',
    "invalid value type for 'shared_memory_region' parameter for tensor 'IN', expected string_param.",
  ],
  [
    request('int32', {}, { parameters: { shared_memory_offset: { int64_param: 1 } } }),
    'INVALID_ARG',
    "'shared_memory_offset' can not be specified without 'shared_memory_region' parameter for tensor 'IN'",
  ],
  [
    request('int32', {}, { parameters: { shared_memory_region: { string_param: 'r' } } }),
    'INVALID_ARG',
    "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor 'IN'",
  ],
  [
    request(
      'int32',
      {},
      { parameters: { shared_memory_region: { string_param: 'r' }, shared_memory_byte_size: { bool_param: true } } },
    ),
    'INVALID_ARG',
    "invalid value type for 'shared_memory_byte_size' parameter for tensor 'IN', expected int64_param.",
  ],
  [
    request(
      'int32',
      {},
      { parameters: { shared_memory_region: { string_param: 'r' }, shared_memory_byte_size: { int64_param: 8 } } },
    ),
    'NOT_FOUND',
    "Unable to find shared memory region: 'r'",
  ],
  [
    request('int32', { outputs: [{ name: 'OUT', parameters: { classification: { int64_param: 0 } } }] }),
    'INVALID_ARG',
    "invalid value for 'classification' parameter, expected >= 0",
  ],
])('a request that cannot be is refused with Triton’s text: %#', async (message, code, text) => {
  await using fixture = await testServer()
  await expect(new Caller(fixture.server).unary('ModelInfer', message)).rejects.toMatchObject({ code, message: text })
})

test('bytes that are no request are INTERNAL, as in grpc++', async () => {
  await using fixture = await testServer()
  await expect(new Caller(fixture.server).send('ModelInfer', Buffer.from('0aff', 'hex'))).rejects.toMatchObject({
    status: 'INTERNAL',
    message: 'Unable to parse request',
  })
})

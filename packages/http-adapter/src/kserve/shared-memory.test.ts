import { manualBackend, type SharedMemoryFile, sharedMemoryFile } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf } from '../test-client.ts'
import { binaryBody, type TestServer, testServer } from '../test-server.ts'

describe.skipIf(process.platform !== 'linux')('system shared memory', () => {
  const backend = manualBackend()
  let fixture: TestServer
  let file: SharedMemoryFile
  let handle: (request: Request) => Promise<Response>
  beforeAll(async () => {
    fixture = await testServer([backend])
    file = await sharedMemoryFile(new Uint8Array(64))
    handle = fetchHandler(fixture.server, { sharedMemory: true })
  })
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
    await file[Symbol.asyncDispose]()
  })

  const post = (path: string, body: unknown = '', headers = {}): Promise<Response> =>
    handle(
      new Request(`http://host/v2/${path}`, {
        method: 'POST',
        headers,
        body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  const status = async (region = ''): Promise<unknown> => {
    const path = region === '' ? '' : `/region/${region}`
    return (await handle(new Request(`http://host/v2/systemsharedmemory${path}/status`))).json()
  }
  const register = (name: string, more = {}): Promise<Response> =>
    post(`systemsharedmemory/region/${name}/register`, { key: file.key, byte_size: 64, ...more })
  const region = (offset: number, size = 8): object => ({
    shared_memory_region: 'r',
    shared_memory_offset: offset,
    shared_memory_byte_size: size,
  })
  const floats = (...values: number[]): Buffer => Buffer.from(Float32Array.from(values).buffer)
  const input = (parameters: object): object => ({ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], parameters })
  const infer = (body: object): Promise<Response> => post('models/fp32/infer', body)

  test('a region from its registration to its end', async () => {
    expect(await status()).toEqual([])
    const registered = await register('r', { offset: 0 })
    expect([registered.status, await registered.text()]).toEqual([200, ''])
    const entry = { name: 'r', key: file.key, offset: 0, byte_size: 64 }
    expect(await status()).toEqual([entry])
    expect(await status('r')).toEqual([entry])
    await post('systemsharedmemory/region/other/unregister')
    expect(await status()).toEqual([entry])
    await post('systemsharedmemory/unregister')
    expect(await status()).toEqual([])
  })

  test('inputs come from a region, outputs go to one, and the response has no data for them', async () => {
    await file.write(Buffer.concat([floats(1.5, -2), Buffer.alloc(56)]))
    await register('r')
    const answer = await infer({ inputs: [input(region(0))], outputs: [{ name: 'OUTPUT0', parameters: region(16) }] })
    expect(await answer.text()).toBe(
      '{"model_name":"fp32","model_version":"1","outputs":[{"name":"OUTPUT0","datatype":"FP32","shape":[1,2]}]}',
    )
    expect((await file.bytes()).subarray(16, 24)).toEqual(floats(1.5, -2))
    await post('systemsharedmemory/unregister')
  })

  test('regions, JSON and binary tensors together', async () => {
    await file.write(Buffer.concat([Buffer.from(Int32Array.of(7, 8).buffer), Buffer.alloc(56)]))
    await register('r')
    const { body, headerLength } = binaryBody(
      {
        inputs: [
          { name: 'A', datatype: 'INT32', shape: [1, 2], parameters: region(0) },
          { name: 'B', datatype: 'INT32', shape: [1, 2], parameters: { binary_data_size: 8 } },
        ],
        outputs: [{ name: 'OUT_A' }, { name: 'OUT_B', parameters: region(8) }],
      },
      Buffer.from(Int32Array.of(1, 2).buffer),
    )
    const headers = { 'Inference-Header-Content-Length': headerLength }
    const answer = await (await post('models/pair/infer', body, headers)).json()
    expect(answer).toMatchObject({ outputs: [{ name: 'OUT_A', data: [7, 8] }, { name: 'OUT_B' }] })
    expect((await file.bytes()).subarray(8, 16)).toEqual(Buffer.from(Int32Array.of(1, 2).buffer))
    await post('systemsharedmemory/unregister')
  })

  test('tensors so large that they are copied beside the event loop', async () => {
    const values = Float32Array.from({ length: 200_000 }, (_, i) => i)
    await using large = await sharedMemoryFile(new Uint8Array(values.byteLength * 2))
    const { byteLength: size } = values
    await large.write(Buffer.concat([Buffer.from(values.buffer), Buffer.alloc(size)]))
    await register('r', { key: large.key, byte_size: size * 2 })
    const answer = await infer({
      inputs: [{ ...input(region(0, size)), shape: [1, values.length] }],
      outputs: [{ name: 'OUTPUT0', parameters: region(size, size) }],
    })
    expect(answer.status).toBe(200)
    expect((await large.bytes()).subarray(size).equals(Buffer.from(values.buffer))).toBe(true)
    await post('systemsharedmemory/unregister')
  })

  test('mistakes, in the order in which Triton finds them', async () => {
    await register('r')
    const inputs = [input(region(0))]
    const outputs = (parameters: object): object => ({ inputs, outputs: [{ name: 'OUTPUT0', parameters }] })
    const cases: [object, number, string][] = [
      [
        { inputs: [input({ ...region(0), shared_memory_region: 'no' })] },
        404,
        "Unable to find shared memory region: 'no'",
      ],
      [{ inputs: [input(region(64))] }, 400, "Invalid offset for shared memory region: 'r'"],
      [{ inputs: [input(region(60))] }, 400, "Invalid offset + byte size for shared memory region: 'r'"],
      [
        { inputs: [input({ shared_memory_region: 'r' })] },
        400,
        "Invalid offset + byte size for shared memory region: 'r'",
      ],
      [
        { inputs: [input({ ...region(0), shared_memory_offset: -1 })] },
        500,
        "Unable to parse 'shared_memory_offset': attempt to access JSON non-unsigned-integer as unsigned-integer",
      ],
      [
        { inputs: [input({ ...region(0), shared_memory_region: 7 })] },
        500,
        "Unable to parse 'shared_memory_region': attempt to access JSON non-string as string",
      ],
      [
        { inputs: [{ ...input({ ...region(0), shared_memory_region: 'no' }), datatype: 'X' }] },
        400,
        'invalid datatype for input INPUT0',
      ],
      [outputs({ ...region(0), shared_memory_region: 'no' }), 404, "Unable to find shared memory region: 'no'"],
      [
        outputs({ ...region(0), classification: 1 }),
        400,
        "Output can't set both 'shared_memory_region' and 'classification'",
      ],
      [
        outputs({ ...region(0), binary_data: true }),
        400,
        "Output can't set both 'shared_memory_region' and 'binary_data'",
      ],
      [
        outputs(region(0, 4)),
        500,
        "shared memory size specified with the request for output 'OUTPUT0' (4 bytes) should be at least 8 bytes to hold the results",
      ],
      [
        { inputs: [input(region(0, 4))] },
        400,
        "[request id: <id_unknown>] input byte size mismatch for input 'INPUT0' for model 'fp32'. Expected 8, got 4",
      ],
    ]
    for (const [body, code, text] of cases) expect(await errorOf(infer(body))).toEqual([code, text])
    // Nothing of them is left in use.
    await post('systemsharedmemory/unregister')
    expect(await status()).toEqual([])
  })

  test('what registering refuses', async () => {
    const bad = (body: unknown): Promise<[number, string]> =>
      errorOf(post('systemsharedmemory/region/r/register', body))
    expect(await errorOf(post('systemsharedmemory/register', {}))).toEqual([
      400,
      "'region name' is necessary to register system shared memory region",
    ])
    expect(await bad('')).toEqual([500, 'failed to parse the request JSON buffer: The document is empty. at 0'])
    expect(await bad({ byte_size: 1 })).toEqual([400, "Shared memory register request has no 'key' field"])
    expect(await bad({ key: file.key })).toEqual([400, "Shared memory register request has no 'byte_size' field"])
    expect(await bad({ key: 7 })).toEqual([500, 'attempt to access JSON non-string as string'])
    const [code, text] = [500, 'attempt to access JSON non-unsigned-integer as unsigned-integer']
    expect(await bad({ key: file.key, byte_size: '64' })).toEqual([code, text])
    expect(await bad({ key: file.key, byte_size: 64, offset: -1 })).toEqual([code, text])
    const tooLarge = [400, "failed to register shared memory region 'r': invalid args"]
    expect(await bad(`{"key":"${file.key}","byte_size":18446744073709551615}`)).toEqual(tooLarge)
    expect(await errorOf(handle(new Request('http://host/v2/systemsharedmemory/register')))).toEqual([
      405,
      'Method Not Allowed',
    ])
    expect(await errorOf(post('systemsharedmemory/status'))).toEqual([405, 'Method Not Allowed'])
  })

  test('a region stays until the requests that use it are over, also for those that come meanwhile', async () => {
    await register('r')
    const body = { inputs: [input(region(0))], outputs: [{ name: 'OUTPUT0', parameters: region(8) }] }
    const first = post('models/slow/infer', { ...body, inputs: [{ ...input(region(0)), shape: [2] }] })
    const execution = await backend.next()
    await post('systemsharedmemory/unregister')
    expect(await status()).toHaveLength(1)
    expect((await infer(body)).status).toBe(200)
    expect(await errorOf(register('r'))).toEqual([400, "shared memory region 'r' already in manager"])
    execution.requests[0]?.respond({ outputs: { OUTPUT0: execution.requests[0].inputs.get('INPUT0') as never } })
    execution.finish()
    expect((await first).status).toBe(200)
    expect(await status()).toEqual([])
  })
})

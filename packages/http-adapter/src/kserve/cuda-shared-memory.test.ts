import type { CudaMemory } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf } from '../test-client.ts'
import { testServer } from '../test-server.ts'

const handle = Buffer.alloc(64, 1)

/** A GPU with one allocation, which is in this process. */
function gpu(memory: Uint8Array): CudaMemory {
  return {
    isAvailable: async () => true,
    async open(rawHandle, deviceId) {
      if (!handle.equals(rawHandle) || deviceId !== 0) throw new Error('invalid resource handle')
      return {
        byteSize: memory.byteLength,
        read: async (offset, into) => into.set(memory.subarray(offset, offset + into.byteLength)),
        write: async (offset, bytes) => memory.set(bytes, offset),
        close: async () => {},
      }
    },
  }
}

test('tensors in the memory of a GPU, from registration to status', async () => {
  const memory = new Uint8Array(16)
  memory.set(new Uint8Array(Float32Array.of(3, 4).buffer))
  await using fixture = await testServer([], { cudaMemory: gpu(memory) })
  const http = fetchHandler(fixture.server, { sharedMemory: true })
  const post = (path: string, body: unknown): Promise<Response> =>
    http(new Request(`http://host/v2/${path}`, { method: 'POST', body: JSON.stringify(body) }))
  const raw = { b64: handle.toString('base64') }
  const register = (body: unknown): Promise<Response> => post('cudasharedmemory/region/g/register', body)
  const none = (name: string): [number, string] => [500, `attempt to access non-existing object member '${name}'`]
  expect(await errorOf(post('cudasharedmemory/register', {}))).toEqual([
    400,
    "'region name' is necessary to register cuda shared memory region",
  ])
  expect(await errorOf(register({}))).toEqual([400, "Shared memory register request has no 'raw_handle' field"])
  expect(await errorOf(register({ raw_handle: {} }))).toEqual(none('b64'))
  expect(await errorOf(register({ raw_handle: raw }))).toEqual(none('byte_size'))
  expect(await errorOf(register({ raw_handle: raw, byte_size: 16 }))).toEqual(none('device_id'))
  expect(await errorOf(register({ raw_handle: { b64: 'AAAA' }, byte_size: 16, device_id: 0 }))).toEqual([
    400,
    "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t",
  ])
  expect(await errorOf(register({ raw_handle: raw, byte_size: 17, device_id: 0 }))).toEqual([
    400,
    "failed to register shared memory region 'g': invalid args",
  ])
  expect((await register({ raw_handle: raw, byte_size: 16, device_id: 0 })).status).toBe(200)
  const status = await http(new Request('http://host/v2/cudasharedmemory/region/g/status'))
  expect(await status.text()).toBe('[{"name":"g","device_id":0,"byte_size":16}]')
  const region = (offset: number): object => ({
    shared_memory_region: 'g',
    shared_memory_offset: offset,
    shared_memory_byte_size: 8,
  })
  const answer = await post('models/fp32/infer', {
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], parameters: region(0) }],
    outputs: [{ name: 'OUTPUT0', parameters: region(8) }],
  })
  expect(answer.status).toBe(200)
  expect([...new Float32Array(memory.buffer)]).toEqual([3, 4, 3, 4])
  await post('cudasharedmemory/unregister', '')
  expect(await (await http(new Request('http://host/v2/cudasharedmemory/status'))).json()).toEqual([])
})

test('without a GPU, whatever the body is', async () => {
  await using fixture = await testServer()
  const http = fetchHandler(fixture.server, { sharedMemory: true })
  const request = new Request('http://host/v2/cudasharedmemory/region/g/register', { method: 'POST', body: '{' })
  expect(await errorOf(http(request))).toEqual([
    400,
    "failed to register CUDA shared memory region: 'g', GPUs not supported",
  ])
})

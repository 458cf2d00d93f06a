import { readFile, rm, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

const onLinux = test.runIf(process.platform === 'linux')

const region = (name: string, offset: number, size = 8): object => ({
  shared_memory_region: { string_param: name },
  shared_memory_offset: { int64_param: offset },
  shared_memory_byte_size: { int64_param: size },
})

/** A file of shared memory with two integers and room for two more, and the key under which it is registered. */
async function sharedFile(key: string): Promise<AsyncDisposable & { read(): Promise<number[]> }> {
  const path = `/dev/shm${key}`
  await writeFile(path, new Uint8Array(Int32Array.of(5, 6, 0, 0).buffer))
  return {
    read: async () => [...new Int32Array(Uint8Array.from(await readFile(path)).buffer)],
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}

const request = (output: object): object => ({
  model_name: 'int32',
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [2], parameters: region('r', 0) }],
  outputs: [{ name: 'OUT', parameters: output }],
})

onLinux('inputs come from shared memory and outputs go there, in a call and on a stream', async () => {
  const key = `/triton-ts-grpc-${process.pid}`
  await using file = await sharedFile(key)
  await using fixture = await testServer()
  const caller = new Caller(fixture.server, { sharedMemory: true })
  await caller.unary('SystemSharedMemoryRegister', { name: 'r', key, byte_size: 16 })
  expect((await caller.unary('SystemSharedMemoryStatus', {})).regions).toEqual({
    r: { name: 'r', key, offset: 0n, byte_size: 16n },
  })
  const { outputs, raw_output_contents } = await caller.unary('ModelInfer', request(region('r', 8)))
  expect(outputs).toMatchObject([{ name: 'OUT', datatype: 'INT32', shape: [2n] }])
  expect(raw_output_contents.map((bytes: Uint8Array) => bytes.byteLength)).toEqual([0])
  expect(await file.read()).toEqual([5, 6, 5, 6])

  const tooSmall =
    "shared memory size specified with the request for output 'OUT' (4 bytes) should be at least 8 bytes to hold the results"
  const stream = caller.stream('ModelStreamInfer').request(request(region('r', 8)), request(region('r', 8, 4)))
  const [first, second] = await stream.all()
  expect(first.infer_response.raw_output_contents[0].byteLength).toBe(0)
  expect(second.error_message).toBe(tooSmall)
  await expect(caller.unary('ModelInfer', request(region('r', 8, 4)))).rejects.toThrow(tooSmall)
  await expect(caller.unary('ModelInfer', request(region('r', 12)))).rejects.toThrow(
    "Invalid offset + byte size for shared memory region: 'r'",
  )
  await expect(
    caller.unary('ModelInfer', request({ ...region('r', 8), classification: { int64_param: 1 } })),
  ).rejects.toThrow("output can't set both 'shared_memory_region' and 'classification'")
  expect(await caller.unary('SystemSharedMemoryUnregister', { name: 'r' })).toEqual({})
  expect((await caller.unary('SystemSharedMemoryStatus', {})).regions).toEqual({})
})

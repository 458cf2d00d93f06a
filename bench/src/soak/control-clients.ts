import { sharedMemoryFile } from '@triton-ts/testing'
import { send } from './http-request.ts'
import { expect, type SoakClient, type SoakTarget, sleep } from './soak-client.ts'

const post = async (target: SoakTarget, path: string, body: object): Promise<void> => {
  const { status, body: text } = await send(target, { path, body: JSON.stringify(body) })
  expect(status === 200, `${path}: status ${status}, ${text}`)
}

const malformed = [
  '{',
  '[]',
  '{"inputs": 7}',
  '{"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, 2], "data": ["x"]}]}',
  '{"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [-1, 9e9], "data": []}]}',
  `{"inputs": ${'['.repeat(5000)}`,
]

export const controlClients: readonly SoakClient[] = [
  {
    name: 'reloads',
    copies: 1,
    async act(target, turn) {
      const config = JSON.stringify({
        backend: 'onnxruntime',
        max_batch_size: 1 + (turn % 8),
        instance_group: [{ kind: 'KIND_CPU', count: 1 + (turn % 3) }],
      })
      await post(target, '/v2/repository/models/identity_int32/load', { parameters: { config } })
      const inputs = [{ name: 'INPUT0', datatype: 'INT32', shape: [1, 2], data: [1, 2] }]
      await post(target, '/v2/models/identity_int32/infer', { inputs })
      if (turn % 10 === 0) await post(target, '/v2/repository/models/identity_int32/unload', {})
      await sleep(100)
    },
  },
  {
    name: 'shared memory',
    copies: 1,
    async act(target, turn) {
      const name = `soak${turn}`
      const file = await sharedMemoryFile(new Uint8Array(256))
      try {
        const region = { key: file.key, offset: 0, byte_size: 256 }
        await post(target, `/v2/systemsharedmemory/region/${name}/register`, region)
        const part = (offset: number): object => ({
          shared_memory_region: name,
          shared_memory_offset: offset,
          shared_memory_byte_size: 64,
        })
        const tensors = (kind: string, at: number): object[] =>
          [0, 1].map((i) => ({ name: `${kind}${i}`, datatype: 'INT32', shape: [1, 16], parameters: part(at + 64 * i) }))
        await post(target, '/v2/models/add_sub_int32/infer', {
          inputs: tensors('INPUT', 0),
          outputs: tensors('OUTPUT', 128),
        })
        await post(target, `/v2/systemsharedmemory/region/${name}/unregister`, {})
      } finally {
        await file[Symbol.asyncDispose]()
      }
    },
  },
  {
    name: 'settings',
    copies: 1,
    async act(target, turn) {
      await post(target, '/v2/logging', { log_verbose_level: turn % 2 })
      await post(target, '/v2/trace/setting', { trace_rate: String(1000 + (turn % 10)) })
      await sleep(100)
    },
  },
  {
    name: 'HTTP, bad input',
    copies: 1,
    async act(target, turn) {
      const body = malformed[turn % malformed.length] as string
      const { status } = await send(target, { path: '/v2/models/identity_fp32/infer', body })
      expect(status >= 400, `bad input was taken: ${body.slice(0, 100)}`)
      expect((await send(target, { path: '/v2/models/nobody/infer', body: '{}' })).status === 404, 'nobody is there')
    },
  },
]

import { Server, type ServerOptions } from '@triton-ts/core'
import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'
import { echoBackend, modelRepository } from '@triton-ts/testing'

const types = ['BOOL', 'UINT8', 'INT8', 'INT16', 'INT32', 'INT64', 'UINT32', 'UINT64', 'FP16', 'FP32', 'FP64', 'STRING']

const tensor = (kind: string, name: string, type: string, dims: string): string =>
  `${kind} { name: "${name}" data_type: TYPE_${type} dims: ${dims} }`

const identity = (type: string, dims = '-1', more = ''): string =>
  `backend: "identity" ${tensor('input', 'INPUT0', type, dims)} ${tensor('output', 'OUTPUT0', type, dims)} ${more}`

/** Echo models for the tests: `fp32`, `int8`, ... of any length with batching, and some with other shapes. */
const files: Record<string, string> = {
  'pair/config.pbtxt': `backend: "identity" max_batch_size: 8
    ${tensor('input', 'A', 'INT32', '[2]')} ${tensor('input', 'B', 'INT32', '[2]')}
    ${tensor('output', 'OUT_A', 'INT32', '[2]')} ${tensor('output', 'OUT_B', 'INT32', '[2]')}`,
  'pair/1/': '',
  'matrix/config.pbtxt': identity('FP32', '[-1, -1]'),
  'matrix/1/': '',
  'stream/config.pbtxt': identity('FP32', '-1', 'model_transaction_policy { decoupled: true }'),
  'stream/1/': '',
  'slow/config.pbtxt': identity('FP32').replace('identity', 'manual'),
  'slow/1/': '',
  'labelled/config.pbtxt': `backend: "identity" max_batch_size: 4 ${tensor('input', 'INPUT0', 'FP32', '[3]')}
    output { name: "OUTPUT0" data_type: TYPE_FP32 dims: 3 label_filename: "labels.txt" }`,
  'labelled/labels.txt': 'cat\ndog\n',
  'labelled/1/': '',
}
for (const type of types) {
  files[`${type.toLowerCase()}/config.pbtxt`] = `max_batch_size: 8 ${identity(type)}`
  files[`${type.toLowerCase()}/1/`] = ''
}

export interface TestServer extends AsyncDisposable {
  readonly server: Server
  /** What backends saw, latest last. */
  readonly seen: ExecutionRequest[]
}

/** A started Server with the models above; more backends are needed for `slow`. */
export async function testServer(backends: readonly Backend[] = [], options: ServerOptions = {}): Promise<TestServer> {
  const repository = await modelRepository(files)
  const seen: ExecutionRequest[] = []
  const server = await Server.start({
    modelRepository: repository.path,
    backends: [watched(echoBackend(), seen), ...(backends.length > 0 ? backends : [echoBackend('manual')])],
    ...options,
  })
  return {
    server,
    seen,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await repository[Symbol.asyncDispose]()
    },
  }
}

/** The backend, with a list of the requests that it gets. */
function watched(backend: Backend, seen: ExecutionRequest[]): Backend {
  return {
    name: backend.name,
    async createModel(context) {
      const model = await backend.createModel(context)
      return {
        async createInstance(slot) {
          const instance = await model.createInstance(slot)
          return {
            execute(requests, marks) {
              seen.push(...requests)
              return instance.execute(requests, marks)
            },
            dispose: () => instance.dispose(),
          }
        },
        dispose: () => model.dispose(),
      }
    },
  }
}

/** A JSON body with one FP32-like input `INPUT0`. */
export const inferBody = (data: unknown, datatype = 'FP32', shape?: readonly number[], more = {}): string =>
  JSON.stringify({
    inputs: [{ name: 'INPUT0', datatype, shape: shape ?? [1, (data as unknown[]).length], data }],
    ...more,
  })

/** A body of JSON and binary tensors, and its header length. */
export function binaryBody(
  json: object,
  ...tensors: Uint8Array[]
): { body: Buffer<ArrayBuffer>; headerLength: string } {
  const header = Buffer.from(JSON.stringify(json))
  return { body: Buffer.concat([header, ...tensors]), headerLength: String(header.byteLength) }
}

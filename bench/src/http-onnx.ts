import { modelRepository, onnxModel } from '@triton-ts/testing'
import { httpRequest, load } from './load.ts'
import { median, row } from './measure.ts'
import { onnxRuntime } from './onnx-runtime.ts'
import { ServerProcess } from './server-process.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * Server CPU of an inference over HTTP, end to end: add and subtract 16 integers in ONNX Runtime. The peer is a real
 * tritonserver 2.51 with the same backend library of ours, where this machine can run it.
 */
const rounds = Number(process.argv[2] ?? 5)
const count = 20_000
const connections = 8

const model = onnxModel({
  inputs: ['INPUT0', 'INPUT1'].map((name) => ({ name, datatype: 'INT32' as const, shape: ['N', 16] })),
  outputs: ['OUTPUT0', 'OUTPUT1'].map((name) => ({ name, datatype: 'INT32' as const, shape: ['N', 16] })),
  nodes: [
    { op: 'Add', inputs: ['INPUT0', 'INPUT1'], outputs: ['OUTPUT0'] },
    { op: 'Sub', inputs: ['INPUT0', 'INPUT1'], outputs: ['OUTPUT1'] },
  ],
})
const tensors = (kind: string) =>
  ['0', '1'].map((i) => `${kind} { name: "${kind.toUpperCase()}${i}" data_type: TYPE_INT32 dims: 16 }`)
await using repository = await modelRepository({
  'add_sub/config.pbtxt': `backend: "onnxruntime" max_batch_size: 8 ${[...tensors('input'), ...tensors('output')].join(' ')}
    instance_group { kind: KIND_CPU count: 1 } parameters { key: "intra_op_thread_count" value { string_value: "1" } }`,
  'add_sub/1/model.onnx': model,
})

const path = '/v2/models/add_sub/infer'
const data = Array.from({ length: 16 }, (_, i) => i)
const inputs = ['INPUT0', 'INPUT1'].map((name) => ({ name, shape: [1, 16], datatype: 'INT32' }))
const json = Buffer.from(JSON.stringify({ inputs: inputs.map((input) => ({ ...input, data })) }))
const header = Buffer.from(
  JSON.stringify({
    inputs: inputs.map((input) => ({ ...input, parameters: { binary_data_size: 64 } })),
    outputs: ['OUTPUT0', 'OUTPUT1'].map((name) => ({ name, parameters: { binary_data: true } })),
  }),
)
const bytes = new Uint8Array(Int32Array.from([...data, ...data]).buffer)
const requests = {
  JSON: httpRequest(path, { 'content-type': 'application/json' }, json),
  binary: httpRequest(path, { 'inference-header-content-length': header.byteLength }, Buffer.concat([header, bytes])),
}

interface Measured {
  readonly port: number
  cpu(): Promise<number>
}

const triton = await TritonServer.start(repository.path, onnxRuntime)
if (typeof triton === 'string') console.log(`without tritonserver: ${triton}`)
const native = await ServerProcess.start('./triton-ts-onnx-server.js', repository.path, 'native')
const worker = await ServerProcess.start('./triton-ts-onnx-server.js', repository.path, 'worker')
const servers: Record<string, Measured> = {
  'triton-ts, native': native,
  'triton-ts, worker': worker,
  ...(typeof triton !== 'string' && { tritonserver: triton }),
}

console.log(`${connections} connections, median of ${rounds} rounds, Node ${process.version}`)
console.log(row('', 'CPU µs each', 'requests/s', 'p50 ms'))
for (const [kind, request] of Object.entries(requests)) {
  const results = new Map<string, { cpu: number; rate: number; p50: number }[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const [name, server] of Object.entries(servers)) {
      const before = await server.cpu()
      const { duration, p50 } = await load(server.port, request, count, connections)
      const cpu = ((await server.cpu()) - before) / count
      if (round > 0) results.set(name, [...(results.get(name) ?? []), { cpu, rate: (count / duration) * 1000, p50 }])
    }
  }
  for (const [name, figures] of results) {
    const of = (key: 'cpu' | 'rate' | 'p50'): number => median(figures.map((figure) => figure[key]))
    console.log(row(`${name}, ${kind}`, of('cpu').toFixed(1), of('rate').toFixed(0), of('p50').toFixed(2)))
  }
}
native.stop()
worker.stop()
if (typeof triton !== 'string') await triton.stop()

import { createServer } from 'node:net'
import { modelRepository, onnxModel } from '@triton-ts/testing'
import { ProtoWriter } from '../../packages/testing/src/proto-writer.ts'
import { H2load } from './h2load.ts'
import { median, row } from './measure.ts'
import { onnxRuntime } from './onnx-runtime.ts'
import { ServerProcess } from './server-process.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * Server CPU of an inference over gRPC, end to end: a tensor through ONNX Runtime and back. The peers are the same method
 * carried by @grpc/grpc-js, and a real tritonserver 2.51 with the same backend library of ours, where this machine can
 * run it.
 */
const rounds = Number(process.argv[2] ?? 5)
const sizes = { '64 B': { bytes: 64, count: 20_000 }, '600 KB': { bytes: 600_000, count: 1000 } }
const path = '/inference.GRPCInferenceService/ModelInfer'

const h2load = await H2load.prepare()
if (typeof h2load === 'string') {
  console.log(h2load)
  process.exit(1)
}
await using _ = h2load
const io = (name: string) => [{ name, datatype: 'FP32' as const, shape: ['N'] }]
const [inputs, outputs] = [io('INPUT0'), io('OUTPUT0')]
await using repository = await modelRepository({
  'identity/config.pbtxt': `backend: "onnxruntime" max_batch_size: 0
    input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 } output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }
    instance_group { kind: KIND_CPU count: 1 } parameters { key: "intra_op_thread_count" value { string_value: "1" } }`,
  'identity/1/model.onnx': onnxModel({
    inputs,
    outputs,
    nodes: [{ op: 'Identity', inputs: ['INPUT0'], outputs: ['OUTPUT0'] }],
  }),
})

/** An `inference.ModelInferRequest` of one tensor with raw contents. */
function request(bytes: number): Buffer {
  const tensor = new ProtoWriter()
    .text(1, 'INPUT0')
    .text(2, 'FP32')
    .integer(3, bytes / 4)
  return Buffer.from(new ProtoWriter().text(1, 'identity').message(5, tensor).bytes(7, Buffer.alloc(bytes)).toBytes())
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Measured {
  readonly port: number
  cpu(): Promise<number>
}

const tritonPort = await freePort()
const flags = ['--allow-grpc=true', '--grpc-address=127.0.0.1', `--grpc-port=${tritonPort}`]
const triton = await TritonServer.start(repository.path, onnxRuntime, ...flags)
if (typeof triton === 'string') console.log(`without tritonserver: ${triton}`)
const ours = await ServerProcess.start('./triton-ts-grpc-server.js', repository.path, 'own')
const grpcJs = await ServerProcess.start('./triton-ts-grpc-server.js', repository.path, 'grpc-js')
const servers: Record<string, Measured> = {
  'triton-ts': ours,
  '@grpc/grpc-js': grpcJs,
  ...(typeof triton !== 'string' && { tritonserver: { port: tritonPort, cpu: () => triton.cpu() } }),
}

console.log(`median of ${rounds} rounds, Node ${process.version}; the ratio is to triton-ts`)
console.log(row('', 'CPU µs each', 'ratio', 'requests/s', 'p50 ms'))
for (const [size, { bytes, count }] of Object.entries(sizes)) {
  for (const connections of [1, 8, 32]) {
    const results = new Map<string, { cpu: number; rate: number; p50: number }[]>()
    for (let round = 0; round <= rounds; round++) {
      for (const [name, server] of Object.entries(servers)) {
        const before = await server.cpu()
        const { requestsPerSecond: rate, p50 } = await h2load.load(
          server.port,
          path,
          request(bytes),
          count,
          connections,
        )
        const cpu = ((await server.cpu()) - before) / count
        if (round > 0) results.set(name, [...(results.get(name) ?? []), { cpu, rate, p50 }])
      }
    }
    const of = (name: string, key: 'cpu' | 'rate' | 'p50'): number =>
      median((results.get(name) ?? []).map((figures) => figures[key]))
    for (const name of results.keys()) {
      const ratio = of(name, 'cpu') / of('triton-ts', 'cpu')
      const figures = [
        of(name, 'cpu').toFixed(1),
        ratio.toFixed(2),
        of(name, 'rate').toFixed(0),
        of(name, 'p50').toFixed(2),
      ]
      console.log(row(`${name}, ${size}, ${connections} clients`, ...figures))
    }
  }
}
ours.stop()
grpcJs.stop()
if (typeof triton !== 'string') await triton.stop()

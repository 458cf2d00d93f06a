import { modelRepository, onnxModel, sharedMemoryFile } from '@triton-ts/testing'
import { httpRequest, load } from './load.ts'
import { median, row } from './measure.ts'
import { onnxRuntime } from './onnx-runtime.ts'
import { ServerProcess } from './server-process.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * What shared memory saves: an identity in ONNX Runtime, its input and output in HTTP bodies and in regions. The peer is a
 * real tritonserver 2.51 with the same backend library of ours, where this machine can run it.
 */
const rounds = Number(process.argv[2] ?? 5)
const connections = 8
const sizes = [
  { name: '600 KB', bytes: 600_000, count: 1000 },
  { name: '6 MB', bytes: 6_000_000, count: 100 },
]

await using repository = await modelRepository({
  'identity/config.pbtxt': `backend: "onnxruntime" max_batch_size: 1
    input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 } output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }
    instance_group { kind: KIND_CPU count: 1 } parameters { key: "intra_op_thread_count" value { string_value: "1" } }`,
  'identity/1/model.onnx': onnxModel({
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', 'M'] }],
    outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', 'M'] }],
    nodes: [{ op: 'Identity', inputs: ['INPUT0'], outputs: ['OUTPUT0'] }],
  }),
})

const path = '/v2/models/identity/infer'

function bodyRequest(bytes: number): Buffer {
  const shape = [1, bytes / 4]
  const header = Buffer.from(
    JSON.stringify({
      inputs: [{ name: 'INPUT0', shape, datatype: 'FP32', parameters: { binary_data_size: bytes } }],
      outputs: [{ name: 'OUTPUT0', parameters: { binary_data: true } }],
    }),
  )
  const headers = { 'inference-header-content-length': header.byteLength }
  return httpRequest(path, headers, Buffer.concat([header, Buffer.alloc(bytes)]))
}

function regionRequest(bytes: number): Buffer {
  const shape = [1, bytes / 4]
  const region = (name: string): object => ({ shared_memory_region: name, shared_memory_byte_size: bytes })
  const inputs = [{ name: 'INPUT0', shape, datatype: 'FP32', parameters: region('input') }]
  const body = { inputs, outputs: [{ name: 'OUTPUT0', parameters: region('output') }] }
  return httpRequest(path, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)))
}

async function register(port: number, name: string, key: string, bytes: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/v2/systemsharedmemory/region/${name}/register`
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ key, byte_size: bytes }) })
  if (!answer.ok) throw new Error(await answer.text())
}

interface Measured {
  readonly port: number
  cpu(): Promise<number>
}

const triton = await TritonServer.start(repository.path, onnxRuntime)
if (typeof triton === 'string') console.log(`without tritonserver: ${triton}`)
const ours = await ServerProcess.start('./triton-ts-onnx-server.js', repository.path, 'native')
const servers: Record<string, Measured> = {
  'triton-ts': ours,
  ...(typeof triton !== 'string' && { tritonserver: triton }),
}

console.log(`${connections} connections, median of ${rounds} rounds, Node ${process.version}`)
console.log(row('', 'CPU µs each', 'requests/s', 'p50 ms'))
for (const { name: size, bytes, count } of sizes) {
  await using input = await sharedMemoryFile(new Uint8Array(bytes))
  await using output = await sharedMemoryFile(new Uint8Array(bytes))
  const requests = { body: bodyRequest(bytes), 'shared memory': regionRequest(bytes) }
  for (const { port } of Object.values(servers)) {
    await register(port, 'input', input.key, bytes)
    await register(port, 'output', output.key, bytes)
  }
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
      console.log(row(`${name}, ${size}, ${kind}`, of('cpu').toFixed(0), of('rate').toFixed(0), of('p50').toFixed(2)))
    }
  }
  for (const { port } of Object.values(servers)) {
    await fetch(`http://127.0.0.1:${port}/v2/systemsharedmemory/unregister`, { method: 'POST' })
  }
}
ours.stop()
if (typeof triton !== 'string') await triton.stop()

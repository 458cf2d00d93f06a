import { modelRepository } from '@triton-ts/testing'
import { numpyPython } from '../../packages/backend-python/src/fixtures/numpy-python.ts'
import { httpRequest, load } from './load.ts'
import { median, row } from './measure.ts'
import { treeCpu } from './process-tree.ts'
import { ServerProcess } from './server-process.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * An identity model in Python over HTTP, with binary tensors: our Python backend and, where this machine can run it, that
 * of a real tritonserver 2.51. Processor time is that of the server and the Python process together.
 */
const rounds = Number(process.argv[2] ?? 5)
const model = `
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor("OUT", pb_utils.get_input_tensor_by_name(request, "IN").as_numpy())]
            )
            for request in requests
        ]
`
await using repository = await modelRepository({
  'identity/config.pbtxt': `backend: "python" instance_group { kind: KIND_CPU count: 1 }
    input { name: "IN" data_type: TYPE_FP32 dims: -1 }
    output { name: "OUT" data_type: TYPE_FP32 dims: -1 }`,
  'identity/1/model.py': model,
})

function request(length: number): Buffer {
  const data = new Uint8Array(new Float32Array(length).fill(0.5).buffer)
  const header = Buffer.from(
    JSON.stringify({
      inputs: [{ name: 'IN', shape: [length], datatype: 'FP32', parameters: { binary_data_size: data.byteLength } }],
      outputs: [{ name: 'OUT', parameters: { binary_data: true } }],
    }),
  )
  const headers = { 'inference-header-content-length': header.byteLength }
  return httpRequest('/v2/models/identity/infer', headers, Buffer.concat([header, data]))
}

const loads = [
  { name: '16 floats, 1 caller', request: request(16), count: 8000, connections: 1 },
  { name: '16 floats, 8 callers', request: request(16), count: 20_000, connections: 8 },
  { name: '600 KB, 1 caller', request: request(150_000), count: 2000, connections: 1 },
  { name: '600 KB, 8 callers', request: request(150_000), count: 2000, connections: 8 },
]

const interpreter = await numpyPython()
if ('missing' in interpreter) throw new Error(interpreter.missing)
const ours = await ServerProcess.start('./triton-ts-python-server.js', repository.path, interpreter.python)
const triton = await TritonServer.startPython(repository.path)
if (typeof triton === 'string') console.log(`without tritonserver: ${triton}`)
const servers = { 'triton-ts': ours, ...(typeof triton !== 'string' && { tritonserver: triton }) }

console.log(`median of ${rounds} rounds, Node ${process.version}`)
console.log(row('', 'p50 µs', 'requests/s', 'CPU µs each'))
for (const { name: what, request, count, connections } of loads) {
  const results = new Map<string, { p50: number; rate: number; cpu: number }[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { port, pid }] of Object.entries(servers)) {
      const before = treeCpu(pid)
      const { duration, p50 } = await load(port, request, count, connections)
      const cpu = (treeCpu(pid) - before) / count
      const figures = { p50: p50 * 1000, rate: (count / duration) * 1000, cpu }
      if (round > 0) results.set(name, [...(results.get(name) ?? []), figures])
    }
  }
  const of = (name: string, key: 'p50' | 'rate' | 'cpu'): number =>
    median((results.get(name) ?? []).map((figures) => figures[key]))
  for (const name of results.keys()) {
    console.log(
      row(`${name}, ${what}`, of(name, 'p50').toFixed(0), of(name, 'rate').toFixed(0), of(name, 'cpu').toFixed(0)),
    )
  }
  if (!results.has('tritonserver')) continue
  const ratio = (key: 'p50' | 'rate' | 'cpu'): string => (of('triton-ts', key) / of('tritonserver', key)).toFixed(2)
  console.log(row('triton-ts / tritonserver', ratio('p50'), ratio('rate'), ratio('cpu')))
}
ours.stop()
if (typeof triton !== 'string') await triton.stop()

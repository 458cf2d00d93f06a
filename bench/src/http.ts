import { httpRequest, load } from './load.ts'
import { ServerProcess } from './server-process.ts'

/**
 * Server CPU per inference over HTTP: triton-ts with an inline identity model beside the least that node:http can do
 * with bodies of the same size. The runs alternate, and the median of the rounds is printed.
 */
interface Scenario {
  readonly name: string
  readonly request: Buffer
  readonly answerSize: number
  readonly peer: string
  readonly count: number
  /** Server CPU of the real Triton 2.51 with its identity backend, in microseconds, from an earlier measurement. */
  readonly triton: number
}

const path = '/v2/models/identity/infer'
const rounds = Number(process.argv[2] ?? 5)

function jsonScenario(name: string, length: number, peer: string, count: number, triton: number): Scenario {
  const data = Array.from({ length }, (_, i) => (length === 16 ? i : Math.fround(Math.sin(i))))
  const body = Buffer.from(JSON.stringify({ inputs: [{ name: 'INPUT0', shape: [1, length], datatype: 'FP32', data }] }))
  const request = httpRequest(path, { 'content-type': 'application/json' }, body)
  return { name, request, answerSize: body.byteLength + 60, peer, count, triton }
}

function binaryScenario(name: string, length: number, count: number, triton: number): Scenario {
  const header = Buffer.from(
    JSON.stringify({
      inputs: [{ name: 'INPUT0', shape: [1, length], datatype: 'FP32', parameters: { binary_data_size: length * 4 } }],
      outputs: [{ name: 'OUTPUT0', parameters: { binary_data: true } }],
    }),
  )
  const body = Buffer.concat([header, Buffer.alloc(length * 4)])
  const request = httpRequest(path, { 'inference-header-content-length': header.byteLength }, body)
  return { name, request, answerSize: length * 4 + 150, peer: './peer-server.js', count, triton }
}

const scenarios = [
  jsonScenario('16 floats, JSON', 16, './peer-server.js', 20_000, 49),
  binaryScenario('16 floats, binary', 16, 20_000, 42),
  binaryScenario('600 KB, binary', 150_000, 1500, 820),
  jsonScenario('150,528 floats, JSON', 150_528, './peer-json-server.js', 60, 33_000),
]

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

async function measure(
  server: ServerProcess,
  { request, count }: Scenario,
): Promise<{ cpu: number; p50: number; rate: number }> {
  const before = await server.cpu()
  const { duration, p50 } = await load(server.port, request, count, 8)
  return { cpu: ((await server.cpu()) - before) / count, p50, rate: (count / duration) * 1000 }
}

console.log(`server CPU per inference in µs, median of ${rounds} rounds, 8 connections, Node ${process.version}`)
console.log('scenario                triton-ts    peer   ratio   Triton 2.51   triton-ts rate')
for (const scenario of scenarios) {
  const ours = await ServerProcess.start('./triton-ts-server.js')
  const peer = await ServerProcess.start(scenario.peer, String(scenario.answerSize))
  const warm = { ...scenario, count: Math.ceil(scenario.count / 4) }
  await measure(ours, warm)
  await measure(peer, warm)
  const results: { ours: Awaited<ReturnType<typeof measure>>; peer: Awaited<ReturnType<typeof measure>> }[] = []
  for (let round = 0; round < rounds; round++) {
    results.push({ ours: await measure(ours, scenario), peer: await measure(peer, scenario) })
  }
  const cpu = median(results.map((result) => result.ours.cpu))
  const peerCpu = median(results.map((result) => result.peer.cpu))
  const rate = median(results.map((result) => result.ours.rate))
  console.log(
    [
      scenario.name.padEnd(22),
      cpu.toFixed(1).padStart(10),
      peerCpu.toFixed(1).padStart(8),
      (cpu / peerCpu).toFixed(2).padStart(7),
      String(scenario.triton).padStart(13),
      `${rate.toFixed(0)}/s`.padStart(16),
    ].join(' '),
  )
  ours.stop()
  peer.stop()
}

import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Client, credentials } from '@grpc/grpc-js'
import { modelRepository } from '@triton-ts/testing'
import { clientModels } from '../../packages/conformance/src/grpc/client-models.ts'
import { SpawnedServer } from '../../packages/conformance/src/spawned-server.ts'
import { row } from './measure.ts'
import { controlClients } from './soak/control-clients.ts'
import { grpcClients } from './soak/grpc-clients.ts'
import { httpClients } from './soak/http-clients.ts'
import { type ClientFigures, runClients } from './soak/run-clients.ts'
import { type IdleFigures, idleFigures } from './soak/server-figures.ts'

/**
 * `triton-ts serve` with clients of every kind at once, for so many seconds: in the end no request is stuck, and it has as
 * much memory and as many descriptors as after the first fifth. Exit code 1 when anything is not so. Linux only.
 */
const seconds = Number(process.argv[2] ?? 300)

/** Memory may differ by what the garbage collector has left for later. */
const spareMegabytes = (warm: number): number => 32 + warm / 10
const spareDescriptors = 8

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const loopback = ['http', 'grpc'].flatMap((name) => [`--${name}-address=127.0.0.1`, `--${name}-port=0`])
await using repository = await modelRepository(clientModels)
const models = ['identity_fp32', 'identity_int32', 'add_sub_int32', 'seq_oldest', 'slow', 'repeat']
const server = await SpawnedServer.start({
  program: {
    file: process.execPath,
    args: [file('packages/cli/dist/main.js'), 'serve', ...loopback, '--metrics-port=0'],
  },
  modelRepositories: [file('packages/conformance/golden/repo/models'), repository.path],
  flags: ['--model-control-mode=explicit', ...models.map((model) => `--load-model=${model}`)],
  until: 'ready',
})
const target = {
  httpPort: server.httpPort,
  metricsPort: server.metricsPort ?? 0,
  grpcPort: server.grpcPort ?? 0,
  agent: new Agent({ keepAlive: true }),
  grpc: new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure()),
}
const clients = [...httpClients, ...grpcClients, ...controlClients]
const figures = new Map<string, ClientFigures>()
await runClients(clients, target, seconds / 5, figures)
const warm = await idleFigures(target, server.pid)
await runClients(clients, target, (seconds * 4) / 5, figures)
const last = await idleFigures(target, server.pid)
target.grpc.close()
const stopping = performance.now()
const exit = await server.stop()
const stopTime = (performance.now() - stopping) / 1000

const problems: string[] = []
console.log(row(`${seconds} s, Node ${process.version}`, 'turns', 'failed', 'stuck'))
for (const [name, { turns, failures, failure, stuck }] of figures) {
  console.log(row(name, String(turns), String(failures), String(stuck)))
  if (turns === 0) problems.push(`${name}: nothing was done`)
  if (failure !== undefined) problems.push(`${name}: ${failure}`)
  if (stuck > 0) problems.push(`${name}: ${stuck} stuck`)
}
console.log(row('idle', 'warm', 'at the end'))
const compare = (name: string, key: keyof IdleFigures, text: (value: IdleFigures) => string): void =>
  console.log(
    row(name, text(warm), text(last)),
    key === 'megabytes' ? `of ${spareMegabytes(warm.megabytes).toFixed(0)} spare` : '',
  )
compare('memory, MB', 'megabytes', ({ megabytes }) => megabytes.toFixed(0))
compare('descriptors', 'descriptors', ({ descriptors }) => String(descriptors))
compare('requests that wait', 'pending', ({ pending }) => String(pending))
console.log(`SIGTERM: ${exit} after ${stopTime.toFixed(1)} s`)
if (last.megabytes > warm.megabytes + spareMegabytes(warm.megabytes)) problems.push('its memory has grown')
if (last.descriptors > warm.descriptors + spareDescriptors) problems.push('its descriptors have become more')
if (last.pending > 0) problems.push(`${last.pending} requests wait for ever`)
if (!warm.isQuiet || !last.isQuiet) problems.push('requests or connections went on although nobody asked any more')
if (exit !== 'exit code 0') problems.push(`it ended with ${exit}`)
if (stopTime > 10) problems.push('it waited for requests when it was to stop')
for (const problem of problems) console.log(`PROBLEM ${problem}`)
console.log(problems.length === 0 ? 'no problem' : `${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

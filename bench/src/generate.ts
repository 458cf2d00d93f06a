import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { modelRepository } from '@triton-ts/testing'
import { numpyPython } from '../../packages/backend-python/src/fixtures/numpy-python.ts'
import { median, row } from './measure.ts'
import { ServerProcess } from './server-process.ts'
import { loadStreams, type StreamFigures, streamRequest } from './stream-load.ts'
import { inlineStream, pythonStream } from './stream-models.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * Streams over HTTP: responses in a second, time to the first byte, and the CPU time of the server's own process for each
 * response. The same Python model is run by triton-ts and, where this machine can, by the real tritonserver 2.51; their
 * Python processes are not counted. The inline model is what engine and HTTP adapter alone take.
 */
const rounds = Number(process.argv[2] ?? 5)
const responses = 100
const streams = 200
const connections = 4

interface Measured {
  readonly port: number
  cpu(): Promise<number>
}

await using python = await modelRepository(pythonStream)
await using inline = await modelRepository(inlineStream)
const servers: Record<string, Measured> = {}
const inlineServer = await ServerProcess.start('./triton-ts-stream-server.js', inline.path)
const stops: (() => unknown)[] = [() => inlineServer.stop()]
const interpreter = await numpyPython()
if ('missing' in interpreter) console.log(`without Python: ${interpreter.missing}`)
else {
  const own = await ServerProcess.start('./triton-ts-python-server.js', python.path, interpreter.python)
  servers['triton-ts, Python'] = own
  stops.push(() => own.stop())
  const triton = await TritonServer.startPython(python.path)
  if (typeof triton === 'string') console.log(`without tritonserver: ${triton}`)
  else {
    servers['tritonserver, Python'] = triton
    stops.push(() => triton.stop())
  }
}
servers['triton-ts, inline'] = inlineServer

console.log(`${streams} streams of ${responses} responses, ${connections} at once, median of ${rounds} rounds`)
console.log(row('', 'responses/s', 'first byte ms', 'CPU µs each'))
const results = new Map<string, (StreamFigures & { readonly cpu: number })[]>()
for (let round = 0; round <= rounds; round++) {
  for (const [name, server] of Object.entries(servers)) {
    const before = await server.cpu()
    const figures = await loadStreams(server.port, responses, streams, connections)
    const cpu = ((await server.cpu()) - before) / (streams * responses)
    if (round > 0) results.set(name, [...(results.get(name) ?? []), { ...figures, cpu }])
  }
}
const figure = (name: string, key: 'rate' | 'first' | 'cpu'): number =>
  median(results.get(name)?.map((result) => result[key]) ?? [])
for (const name of Object.keys(servers)) {
  const [rate, first, cpu] = [figure(name, 'rate'), figure(name, 'first'), figure(name, 'cpu')]
  console.log(row(name, rate.toFixed(0), first.toFixed(2), cpu.toFixed(1)))
}
if ('tritonserver, Python' in servers) {
  const ratio = (key: 'rate' | 'first' | 'cpu'): string =>
    (figure('triton-ts, Python', key) / figure('tritonserver, Python', key)).toFixed(2)
  console.log(row('triton-ts / tritonserver', ratio('rate'), ratio('first'), ratio('cpu')))
}

// A client that does not read, and a model that would send for ever.
const before = await inlineServer.residentMegabytes()
const socket = connect({ port: inlineServer.port, host: '127.0.0.1' }).pause()
await once(socket, 'connect')
socket.write(streamRequest(2 ** 31 - 1))
const samples: string[] = []
for (let second = 0; second < 3; second++) {
  await setTimeout(1000)
  samples.push(((await inlineServer.residentMegabytes()) - before).toFixed(1))
}
socket.destroy()
console.log(`a client that does not read: ${samples.join(', ')} MB more after each second`)
for (const stop of stops) await stop()

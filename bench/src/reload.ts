import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { modelRepository } from '@triton-ts/testing'
import { type Call, ClosedLoop } from './closed-loop.ts'
import { imageModel, imageModelFiles, imageRequest } from './image-model.ts'
import { row } from './measure.ts'
import { onnxRuntime } from './onnx-runtime.ts'
import { residentMegabytes } from './process-tree.ts'
import { ServerProcess } from './server-process.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * Reload without downtime: an image model over HTTP, with as many callers as keep its two instances busy and two requests
 * waiting. Again and again its file is touched and it is loaded anew, which its warm-up is part of. The peer is a real
 * tritonserver 2.51 with our ONNX Runtime library, where this machine can run it.
 */
const reloads = Number(process.argv[2] ?? 30)
const callers = 4
const pauseMilliseconds = 500

await using repository = await modelRepository(await imageModelFiles(2))
const request = imageRequest()

interface Subject {
  readonly port: number
  readonly pid: number
  stop(): unknown
}

/** A time, in milliseconds of `performance.now`. */
interface Span {
  readonly began: number
  readonly ended: number
}

async function control(port: number, verb: 'load' | 'unload'): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v2/repository/models/${imageModel}/${verb}`, { method: 'POST' })
  if (!answer.ok) throw new Error(`${verb}: ${await answer.text()}`)
}

async function reload(port: number): Promise<Span> {
  const now = new Date()
  await utimes(join(repository.path, imageModel, '1/model.onnx'), now, now)
  const began = performance.now()
  await control(port, 'load')
  return { began, ended: performance.now() }
}

async function warmUp(port: number): Promise<void> {
  const loop = new ClosedLoop(port, request, callers)
  await setTimeout(3000)
  await loop.stop()
}

async function reloadUnderLoad(port: number): Promise<{ calls: readonly Call[]; spans: readonly Span[] }> {
  const loop = new ClosedLoop(port, request, callers)
  const spans: Span[] = []
  for (let i = 0; i < reloads; i++) {
    await setTimeout(pauseMilliseconds)
    spans.push(await reload(port))
  }
  await setTimeout(pauseMilliseconds)
  await loop.stop()
  return { calls: loop.calls, spans }
}

const lengths = (spans: readonly Span[]): number[] => spans.map(({ began, ended }) => ended - began)

/** @param values lengths of time; there is one at least. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

async function measure(title: string, { port, pid }: Subject): Promise<void> {
  await warmUp(port)
  const resident = [residentMegabytes(pid)]
  const { calls, spans } = await reloadUnderLoad(port)
  resident.push(residentMegabytes(pid))
  await control(port, 'unload')
  await setTimeout(pauseMilliseconds)
  resident.push(residentMegabytes(pid))

  const isDuring = ({ began, ended }: Call): boolean => spans.some((span) => began < span.ended && ended > span.began)
  const phases = {
    'between reloads': lengths(calls.filter((call) => !isDuring(call))),
    'during a reload': lengths(calls.filter(isDuring)),
    'a reload': lengths(spans),
  }
  const failed = calls.filter(({ succeeded }) => !succeeded).length
  console.log(`${title}: ${calls.length} requests, ${failed} failed`)
  for (const [phase, times] of Object.entries(phases)) {
    const figures = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1))
    console.log(row(`  ${phase}`, String(times.length), ...figures))
  }
  const ratio = (share: number): string =>
    (percentile(phases['during a reload'], share) / percentile(phases['between reloads'], share)).toFixed(2)
  console.log(row('  during / between', '', ratio(0.5), ratio(0.99), ratio(1)))
  const [before, after, unloaded] = resident.map((megabytes) => megabytes.toFixed(0))
  console.log(`  resident: ${before} MB before, ${after} MB after all reloads, ${unloaded} MB unloaded`)
}

const servers: Record<string, () => Promise<Subject | string>> = {
  'triton-ts, native': () => ServerProcess.start('./triton-ts-onnx-server.js', repository.path, 'native', imageModel),
  'triton-ts, worker': () => ServerProcess.start('./triton-ts-onnx-server.js', repository.path, 'worker', imageModel),
  tritonserver: () =>
    TritonServer.start(repository.path, onnxRuntime, '--model-control-mode=explicit', `--load-model=${imageModel}`),
}

console.log(`${reloads} reloads, ${callers} callers, Node ${process.version}`)
console.log(row('milliseconds', 'count', 'p50', 'p99', 'max'))
for (const [title, start] of Object.entries(servers)) {
  const server = await start()
  if (typeof server === 'string') {
    console.log(`without ${title}: ${server}`)
    continue
  }
  await measure(title, server)
  await server.stop()
}

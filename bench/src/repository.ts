import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { Server } from '@triton-ts/core'
import { serveHttp } from '@triton-ts/http-adapter/node'
import { echoBackend, modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { median, row } from './measure.ts'
import { onnxRuntime } from './onnx-runtime.ts'
import { TritonServer } from './tritonserver.ts'

/**
 * What a Server with thousands of tiny models takes to start, to tell its index and to look at its repository, and for
 * how long each of these holds up the event loop. The peer is a plain walk over the same files, one after the other, and
 * for the index over HTTP tritonserver; there no model is loaded, since that one has no backend as small as the echo.
 */
const count = Number(process.argv[2] ?? 10_000)
const rounds = Number(process.argv[3] ?? 5)
const changedCount = 100

const names = Array.from({ length: count }, (_, number) => `model${String(number).padStart(5, '0')}`)

const config = (comment: string): string => `backend: "identity" max_batch_size: 4 # ${comment}
input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`

const configs = (models: readonly string[], comment: string): Record<string, string> =>
  Object.fromEntries(models.map((name) => [`${name}/config.pbtxt`, config(comment)]))

/** Reads every directory and asks for every file's size and time, as looking for changes must; returns the files. */
async function walk(directory: string): Promise<number> {
  let files = 0
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files += await walk(path)
    else files += (await stat(path, { bigint: true })).isFile() ? 1 : 0
  }
  return files
}

interface Figures {
  /** Milliseconds, the median of the rounds. */
  readonly time: number
  /** Milliseconds of the longest wait of the event loop in any round. */
  readonly held: number
}

/** @param prepare done before each round, and not measured. */
async function measure(work: () => Promise<unknown>, times = rounds, prepare?: () => Promise<void>): Promise<Figures> {
  const each: number[] = []
  let held = 0
  for (let round = 0; round < times; round++) {
    await prepare?.()
    const monitor = monitorEventLoopDelay({ resolution: 1 })
    monitor.enable()
    // Waits are recorded from one turn of the loop to the next.
    await setTimeout(5)
    const start = performance.now()
    await work()
    each.push(performance.now() - start)
    await setTimeout(5)
    monitor.disable()
    held = Math.max(held, monitor.max / 1e6)
  }
  return { time: median(each), held }
}

async function changeSome(repository: TemporaryRepository): Promise<void> {
  const step = Math.floor(count / changedCount)
  const some = names.filter((_, number) => number % step === 0)
  await repository.write(configs(some, `changed at ${performance.now()}`))
}

await using repository = await modelRepository(configs(names, 'new'))
await repository.write(Object.fromEntries(names.map((name) => [`${name}/1/model`, 'weights'])))
await using server = new Server({
  modelRepository: repository.path,
  backends: [echoBackend({ history: 0 })],
  modelControl: 'poll',
  repositoryPollSecs: 0,
  repositorySettleSecs: 0,
})

console.log(`${count} models of two files, median of ${rounds} rounds, Node ${process.version}`)
console.log(row('', 'ms', 'loop held, ms'))
const print = (what: string, { time, held }: Figures): void => console.log(row(what, time.toFixed(0), held.toFixed(0)))
print('start, once', await measure(() => server.start(), 1))
print('peer: plain walk over the files', await measure(() => walk(repository.path)))
print('index', await measure(() => server.index()))
print('poll, nothing changed', await measure(() => server.poll()))
print(
  `poll, ${changedCount} changed`,
  await measure(
    () => server.poll(),
    rounds,
    () => changeSome(repository),
  ),
)

const indexOf = async (port: number): Promise<void> => {
  const answer = await fetch(`http://127.0.0.1:${port}/v2/repository/index`, { method: 'POST' })
  const models = ((await answer.json()) as unknown[]).length
  if (models !== count) throw new Error(`the index has ${models} models`)
}
await using unloaded = await Server.start({ modelRepository: repository.path, modelControl: 'explicit' })
const http = await serveHttp(unloaded, { host: '127.0.0.1', port: 0 })
print('index over HTTP, none loaded', await measure(() => indexOf(http.port)))
await http.close({ timeout: 0 })
const triton = await TritonServer.start(repository.path, onnxRuntime, '--model-control-mode=explicit')
if (typeof triton === 'string') console.log(`tritonserver is not measured: ${triton}`)
else {
  print('peer: tritonserver, the same', await measure(() => indexOf(triton.port)))
  await triton.stop()
}

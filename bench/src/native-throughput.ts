import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { row } from './measure.ts'
import { convolutionModel, repositoryFiles } from './models.ts'
import { onnxRuntime } from './onnx-runtime.ts'

/**
 * Inferences per second of a convolution net with one and with two instances, and what the event loop feels of it. The
 * peer is ONNX Runtime's C API, driven by a C++ program with as many threads: build it once with
 * `cmake --build native/build --target ort_direct`.
 */
const seconds = Number(process.argv[2] ?? 5)
const rounds = Number(process.argv[3] ?? 3)
const shape = [1, 3, 160, 160]
const model = convolutionModel(4, 32, 160)
const input = { INPUT0: tensor('FP32', shape, new Float32Array(3 * 160 * 160).fill(0.5)) }
const direct = fileURLToPath(new URL('../../native/build/Release/ort_direct', import.meta.url))

/** @param watch also measures the delay of the event loop, which takes some of the processors itself. */
async function ours(instances: number, watch = false): Promise<{ rate: number; delay: number }> {
  await using repository = await modelRepository(repositoryFiles('m', model, '[3, 160, 160]', '[32, 1, 1]', instances))
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [onnx({ executor: 'native' })],
  })
  const end = performance.now() + seconds * 1000
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  let calls = 0
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      await server.infer('m', input)
      calls++
    }
  }
  if (watch) monitor.enable()
  await Promise.all(Array.from({ length: 2 * instances }, caller))
  monitor.disable()
  return { rate: calls / seconds, delay: monitor.percentile(99) / 1e6 }
}

/** Delay of the timer with nothing to do. */
async function idle(): Promise<number> {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  monitor.disable()
  return monitor.percentile(99) / 1e6
}

function bare(path: string, threads: number): number {
  const { stdout, stderr, status } = spawnSync(direct, [onnxRuntime, path, String(seconds), String(threads)])
  if (status !== 0) throw new Error(`ort_direct failed: ${stderr}`)
  const rate = /([\d.]+) inferences\/s/.exec(String(stdout))?.[1]
  if (rate === undefined) throw new Error(`ort_direct printed: ${stdout}`)
  return Number(rate)
}

const best = (values: readonly number[]): number => Math.max(...values)
await using folder = await modelRepository({})
const path = join(folder.path, 'model.onnx')
writeFileSync(path, model)
const hasPeer = existsSync(direct)
if (!hasPeer) console.log('without the peer: native/build/Release/ort_direct is not built')

const rates = { one: [] as number[], two: [] as number[], bareOne: [] as number[], bareTwo: [] as number[] }
const delays: number[] = []
for (let round = 0; round < rounds; round++) {
  rates.one.push((await ours(1)).rate)
  rates.two.push((await ours(2)).rate)
  delays.push((await ours(2, true)).delay)
  if (!hasPeer) continue
  rates.bareOne.push(bare(path, 1))
  rates.bareTwo.push(bare(path, 2))
}
console.log(`inferences/s, best of ${rounds} rounds of ${seconds} s, Node ${process.version}`)
console.log(row('', '1', '2', '2 / 1'))
const print = (name: string, one: readonly number[], two: readonly number[]): void =>
  console.log(row(name, best(one).toFixed(1), best(two).toFixed(1), (best(two) / best(one)).toFixed(2)))
print('triton-ts, instances', rates.one, rates.two)
if (hasPeer) {
  print('C API, threads', rates.bareOne, rates.bareTwo)
  console.log(`triton-ts / C API: ${(best(rates.two) / best(rates.bareTwo)).toFixed(3)}`)
}
console.log(
  `event loop delay p99: idle ${(await idle()).toFixed(1)} ms, 2 instances ${Math.min(...delays).toFixed(1)} ms`,
)

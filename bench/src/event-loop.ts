import { monitorEventLoopDelay } from 'node:perf_hooks'
import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import ort from 'onnxruntime-node'
import { convolutionModel, repositoryFiles } from './models.ts'

/**
 * How long the event loop is held up while a convolution net runs flat out: idle, with triton-ts on two instances, and
 * with bare onnxruntime-node on the main thread.
 */
const seconds = Number(process.argv[2] ?? 5)
const shape = [1, 3, 160, 160]
const data = new Float32Array(3 * 160 * 160).fill(0.5)
const model = convolutionModel()

/** Delay of a 1 ms timer beyond its millisecond, in milliseconds, and calls finished, while `busy` runs in `lanes` loops. */
async function measure(
  lanes: number,
  busy: () => Promise<unknown>,
): Promise<{ p50: number; p99: number; max: number; calls: number }> {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  const end = performance.now() + seconds * 1000
  let calls = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      await busy()
      calls++
    }
  }
  monitor.enable()
  await Promise.all(Array.from({ length: lanes }, lane))
  monitor.disable()
  const milliseconds = (nanoseconds: number): number => nanoseconds / 1e6
  return {
    p50: milliseconds(monitor.percentile(50)),
    p99: milliseconds(monitor.percentile(99)),
    max: milliseconds(monitor.max),
    calls,
  }
}

await using repository = await modelRepository(repositoryFiles('m', model, '[3, -1, -1]', '[32, 1, 1]', 2))
await using server = await Server.start({ modelRepository: repository.path, backends: [onnx()] })
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 })
const input = tensor('FP32', shape, data)
const timer = setInterval(() => {}, 1)
const sleep = () => new Promise((resolve) => setTimeout(resolve, 20))

console.log(`event-loop delay in ms over ${seconds} s each, 1 ms resolution, Node ${process.version}`)
console.log('load                                      p50      p99      max   inferences/s')
const rows = {
  idle: await measure(1, sleep),
  'triton-ts, 2 instances': await measure(4, () => server.infer('m', { INPUT0: input })),
  'onnxruntime-node on the main thread': await measure(4, () =>
    session.run({ INPUT0: new ort.Tensor('float32', data, shape) }),
  ),
}
clearInterval(timer)
for (const [name, { p50, p99, max, calls }] of Object.entries(rows)) {
  const numbers = [p50, p99, max].map((value) => value.toFixed(1).padStart(8)).join(' ')
  const rate = name === 'idle' ? '' : (calls / seconds).toFixed(0).padStart(14)
  console.log(`${name.padEnd(38)} ${numbers} ${rate}`)
}

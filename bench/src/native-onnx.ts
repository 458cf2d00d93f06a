import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import ort from 'onnxruntime-node'
import { type CallFigures, measureCalls, median, row } from './measure.ts'
import { repositoryFiles, tinyModel } from './models.ts'

/**
 * What a call of a tiny ONNX model costs: an addition of 16 floats through `server.infer`, on each executor, beside the
 * bare and blocking `session.run` of onnxruntime-node. Real Triton, in process through its C API, was measured before:
 * 23,700 requests/s, p50 19 µs with one caller.
 */
const rounds = Number(process.argv[2] ?? 7)
const data = new Float32Array(16).fill(0.5)
const input = { INPUT0: tensor('FP32', [1, 16], data) }

await using repository = await modelRepository(repositoryFiles('m', tinyModel(), '16', '16', 1))
const start = (backend: ReturnType<typeof onnx>) =>
  Server.start({ modelRepository: repository.path, backends: [backend] })
await using inline = await start(onnx({ executor: 'native' }))
await using thread = await start(onnx({ executor: 'native', inline: false }))
await using worker = await start(onnx({ executor: 'worker' }))
const session = await ort.InferenceSession.create(tinyModel(), { intraOpNumThreads: 1, interOpNumThreads: 1 })

const subjects = {
  'session.run, blocking': () => session.run({ INPUT0: new ort.Tensor('float32', data, [1, 16]) }),
  'native, inline where short': () => inline.infer('m', input),
  'native, always its thread': () => thread.infer('m', input),
  worker: () => worker.infer('m', input),
}

console.log(`µs, ${rounds} rounds, medians, Node ${process.version}`)
console.log(row('add, 16 floats', 'p50, 1 caller', 'each, 1', 'CPU, 1', 'each, 16', 'CPU, 16'))
const results = new Map<string, { readonly one: CallFigures; readonly many: CallFigures }[]>()
for (let round = 0; round <= rounds; round++) {
  for (const [name, call] of Object.entries(subjects)) {
    const figures = { one: await measureCalls(call, 1, 5000), many: await measureCalls(call, 16, 10_000) }
    if (round > 0) results.set(name, [...(results.get(name) ?? []), figures])
  }
}
const p50 = new Map<string, number>()
for (const [name, figures] of results) {
  const of = (select: (one: { one: CallFigures; many: CallFigures }) => number): string =>
    median(figures.map(select)).toFixed(1)
  p50.set(name, Number(of(({ one }) => one.p50)))
  console.log(
    row(
      name,
      of(({ one }) => one.p50),
      of(({ one }) => one.each),
      of(({ one }) => one.cpu),
      of(({ many }) => many.each),
      of(({ many }) => many.cpu),
    ),
  )
}
const added = (name: string): number => (p50.get(name) ?? 0) - (p50.get('session.run, blocking') ?? 0)
for (const name of ['native, inline where short', 'native, always its thread']) {
  console.log(`added to session.run: worker ${added('worker').toFixed(1)}, ${name} ${added(name).toFixed(1)}`)
}
await session.release()

import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { type Subject, subjects } from './batching-subjects.ts'
import { cpuMicroseconds, median, row } from './measure.ts'

/**
 * Requests per second that batching gains on real models: one instance of one thread, 32 callers that each send the
 * next request when they have the answer. The kinds of batching take turns in rounds, and every figure is compared with
 * `max_batch_size: 1` of the same round. Arguments: rounds, and the names of the models to measure.
 */
const callers = 32
const rounds = Number(process.argv[2] ?? 5)
const chosen = process.argv.slice(3)
const milliseconds = 1500

const common = `backend: "onnxruntime" instance_group { kind: KIND_CPU count: 1 }
  parameters { key: "intra_op_thread_count" value { string_value: "1" } }`

interface Round {
  readonly perSecond: number
  readonly cpu: number
}

async function measure(server: Server, model: string, subject: Subject): Promise<Round> {
  const cpu = cpuMicroseconds()
  const start = performance.now()
  let answers = 0
  const call = async (_: unknown, caller: number) => {
    const inputs = subject.inputs()
    for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
      isLast = performance.now() - start >= milliseconds
      const sequence = { correlationId: caller + 1, sequenceStart: isFirst, sequenceEnd: isLast }
      await server.infer(model, inputs, subject.isSequence ? sequence : {})
      answers++
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return {
    perSecond: (answers * 1000) / (performance.now() - start),
    cpu: (cpuMicroseconds() - cpu) / answers,
  }
}

async function compare(subject: Subject): Promise<void> {
  const kinds = Object.entries(subject.batching)
  const files = kinds.flatMap(([, batching], i): [string, string | Uint8Array][] => [
    [`m${i}/config.pbtxt`, `${common} ${subject.config} ${batching}`],
    [`m${i}/1/model.onnx`, subject.model],
  ])
  await using repository = await modelRepository(Object.fromEntries(files))
  await using server = await Server.start({ modelRepository: repository.path, backends: [onnx()] })
  const results = kinds.map((): Round[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, result] of results.entries()) result.push(await measure(server, `m${i}`, subject))
  }
  console.log(`\n${row(subject.name, 'requests/s', 'gain', 'CPU µs each', 'mean batch')}`)
  for (const [i, [name]] of kinds.entries()) {
    const own = results[i] as Round[]
    const gain = median(own.map(({ perSecond }, round) => perSecond / (results[0]?.[round]?.perSecond as number)))
    const { inferenceCount = 0, executionCount = 1 } = server.statistics(`m${i}`)[0] ?? {}
    console.log(
      row(
        name,
        median(own.map(({ perSecond }) => perSecond)).toFixed(0),
        gain.toFixed(2),
        median(own.map(({ cpu }) => cpu)).toFixed(0),
        (inferenceCount / executionCount).toFixed(1),
      ),
    )
  }
}

console.log(`${callers} callers, median of ${rounds} rounds, Node ${process.version}`)
for (const subject of await subjects(callers)) {
  if (chosen.length === 0 || chosen.includes(subject.name)) await compare(subject)
}

import { readdirSync, readFileSync } from 'node:fs'
import { Server } from '@triton-ts/core'
import { modelRepository, onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onnx } from '../onnx-backend.ts'

/** The niceness of each thread of this process, by id. */
function niceness(): Map<string, number> {
  const threads = readdirSync('/proc/self/task').map((id): [string, number] => {
    const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return [id, Number(fields[16])]
  })
  return new Map(threads)
}

const model = onnxModel({
  inputs: [{ name: 'IN', datatype: 'FP32', shape: ['N', 4] }],
  outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['N', 4] }],
  nodes: [{ op: 'Add', inputs: ['IN', 'IN'], outputs: ['OUT'] }],
})

test.skipIf(onnx().executor !== 'native')(
  'the threads of a model that was opened at a low priority have the usual one',
  async () => {
    await using repository = await modelRepository({
      'm/config.pbtxt': 'backend: "onnxruntime" max_batch_size: 8 instance_group { kind: KIND_CPU count: 1 }',
      'm/1/model.onnx': model,
    })
    const before = niceness()
    await using server = await Server.start({ modelRepository: repository.path, backends: [onnx({ cpus: 4 })] })
    const made = [...niceness()].filter(([id]) => !before.has(id))
    // The backend's, the model's, the instance's, and three of the pool, which computes on the instance's, too.
    expect(made.length).toBeGreaterThanOrEqual(6)
    expect(new Set(made.map(([, nice]) => nice))).toEqual(new Set([before.get(String(process.pid))]))
    expect(await server.infer('m', { IN: new Float32Array([1, 2, 3, 4]) })).toMatchObject({
      OUT: { data: Float32Array.of(2, 4, 6, 8) },
    })
  },
)

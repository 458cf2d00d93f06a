import { tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onlyNative, withServer } from '../contract/executors.ts'

const megabyte = 2 ** 20
const weightBytes = 32 * megabyte
const instances = 8

/** OUT = IN + its weights: nothing that ONNX Runtime would compute beforehand or keep in another form. */
const heavy = () =>
  onnxModel({
    inputs: [{ name: 'AT', datatype: 'INT64', shape: [1] }],
    outputs: [{ name: 'OUT', datatype: 'FP32', shape: [1] }],
    nodes: [{ op: 'Gather', inputs: ['W', 'AT'], outputs: ['OUT'] }],
    initializers: { W: tensor('FP32', [weightBytes / 4], new Float32Array(weightBytes / 4).fill(3)) },
  })

onlyNative(() => {
  test('the instances of a model have its weights once', async () => {
    const files = {
      'm/1/model.onnx': heavy(),
      'm/config.pbtxt': `backend: "onnxruntime" instance_group { kind: KIND_CPU count: ${instances} }`,
    }
    const before = process.memoryUsage.rss()
    await withServer('native', files, async (server) => {
      const AT = tensor('INT64', [1], BigInt64Array.of(5n))
      const answers = await Promise.all(Array.from({ length: instances }, () => server.infer('m', { AT })))
      expect(answers.map(({ OUT }) => OUT?.data)).toEqual(answers.map(() => Float32Array.of(3)))
      // With a session for each instance it would be all of them.
      expect(process.memoryUsage.rss() - before).toBeLessThan((instances / 2) * weightBytes)
    })
  })
})

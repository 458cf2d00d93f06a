import { Server, tensor } from '@triton-ts/core'
import { modelRepository, onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onlyNative, withServer } from '../contract/executors.ts'
import { identity, io } from '../contract/models.ts'
import { onnx } from '../index.ts'

const files = {
  'm/1/model.onnx': identity('FP32', [1]),
  'm/config.pbtxt': `backend: "onnxruntime" ${io('TYPE_FP32', '1')}`,
}
const input = { IN: tensor('FP32', [1], Float32Array.of(3)) }

/** Enough for 32 short runs in a row also where the machine is busy with other tests. */
const patience = 30_000
const patienceMs = 120_000

/**
 * Whether one of so many inferences is answered before the event loop goes on, which alone brings what threads have
 * done.
 */
async function runsInCallingThread(inline: boolean, inferences: number): Promise<boolean> {
  await using repository = await modelRepository(files)
  const backends = [onnx({ executor: 'native', inline })]
  await using server = await Server.start({ modelRepository: repository.path, backends })
  for (let i = 0; i < inferences; i++) {
    let isAnswered = false
    const answer = server.infer('m', input).finally(() => {
      isAnswered = true
    })
    for (let callback = 0; callback < 1000; callback++) await undefined
    if (isAnswered) return true
    expect((await answer).OUT?.data).toEqual(Float32Array.of(3))
  }
  return false
}

/** OUT is the element of a list at AT; 3 is there, 7 is not. */
const lookup = () =>
  onnxModel({
    inputs: [{ name: 'AT', datatype: 'INT64', shape: [1] }],
    outputs: [{ name: 'OUT', datatype: 'FP32', shape: [1] }],
    nodes: [{ op: 'Gather', inputs: ['LIST', 'AT'], outputs: ['OUT'] }],
    initializers: { LIST: tensor('FP32', [4], Float32Array.of(0, 1, 2, 3)) },
  })

onlyNative(() => {
  test('a model whose runs are short is soon run in the calling thread', { timeout: patienceMs }, async () => {
    expect(await runsInCallingThread(true, patience)).toBe(true)
  })

  test('without `inline` it never is', async () => {
    expect(await runsInCallingThread(false, 2000)).toBe(false)
  })

  test('who asks again at every failure leaves the event loop its turns', async () => {
    const config = 'backend: "onnxruntime" instance_group { kind: KIND_CPU count: 1 }'
    await withServer('native', { 'm/1/model.onnx': lookup(), 'm/config.pbtxt': config }, async (server) => {
      const at = (index: bigint) => server.infer('m', { AT: tensor('INT64', [1], BigInt64Array.of(index)) })
      for (let i = 0; i < 500; i++) expect((await at(3n)).OUT?.data).toEqual(Float32Array.of(3))
      let turns = 0
      setImmediate(() => turns++)
      for (let i = 0; i < 20_000 && turns === 0; i++) await expect(at(7n)).rejects.toThrow('out of data bounds')
      expect(turns).toBe(1)
    })
  })
})

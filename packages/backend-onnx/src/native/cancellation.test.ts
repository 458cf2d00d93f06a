import { setImmediate } from 'node:timers/promises'
import { type Server, tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onlyNative, withServer } from '../contract/executors.ts'

/** With large matrices it would run for many minutes, with small ones it is done at once. */
const steps = 4000
const size = 1024
const chain = onnxModel({
  inputs: [{ name: 'X', datatype: 'FP32', shape: ['n', 'n'] }],
  outputs: [{ name: `t${steps}`, datatype: 'FP32', shape: ['n', 'n'] }],
  nodes: Array.from({ length: steps }, (_, step) => ({
    op: 'MatMul',
    inputs: [step === 0 ? 'X' : `t${step}`, 'X'],
    outputs: [`t${step + 1}`],
  })),
})

const files = {
  'm/1/model.onnx': chain,
  'm/config.pbtxt': `backend: "onnxruntime"
    input { name: "X" data_type: TYPE_FP32 dims: [ -1, -1 ] }
    output { name: "t${steps}" data_type: TYPE_FP32 dims: [ -1, -1 ] }
    instance_group { kind: KIND_CPU count: 1 }`,
}

const matrix = (n: number) => ({ X: tensor('FP32', [n, n], new Float32Array(n * n)) })

/** Until the only instance has taken what was waiting. */
async function whenTaken(server: Server): Promise<void> {
  const waiting = () => /nv_inference_pending_request_count\{[^}]*\} (\d+)/.exec(server.metrics())?.[1] !== '0'
  for (let turn = 0; turn < 10_000 && waiting(); turn++) await setImmediate()
  expect(waiting()).toBe(false)
}

onlyNative(() => {
  test('a run whose request is cancelled is stopped, and the instance is free again', () =>
    withServer('native', files, async (server) => {
      const controller = new AbortController()
      const long = server.infer('m', matrix(size), { signal: controller.signal })
      await whenTaken(server)
      controller.abort()
      await expect(long).rejects.toMatchObject({ code: 'CANCELLED' })
      // It has to wait for the instance.
      const { [`t${steps}`]: answer } = await server.infer('m', matrix(1))
      expect(answer?.data).toEqual(Float32Array.of(0))
      expect(server.metrics()).toMatch(/nv_inference_request_failure\{model="m",reason="CANCELED",[^}]*\} 1\n/)
    }))

  test('a server stops with a run in progress whose request is cancelled', async () => {
    const controller = new AbortController()
    let long: Promise<unknown> | undefined
    await withServer('native', files, async (server) => {
      long = server.infer('m', matrix(size), { signal: controller.signal }).catch((error: unknown) => error)
      await whenTaken(server)
      controller.abort()
    })
    expect(await long).toMatchObject({ code: 'CANCELLED' })
  })
})

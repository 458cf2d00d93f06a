// A unit test of an application's inference: the engine runs inside the test, with the real model or with another one.
import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import type { Backend } from '@triton-ts/core/backend'
import { expect, test } from 'vitest'
import { describePicture } from './describe-picture.ts'

const examples = `${import.meta.dirname}/..`
const modelRepository = `${examples}/model_repository`

test('knows what it sees', async () => {
  await using server = await Server.start({ modelRepository, backends: [onnx()] })
  expect(await describePicture(server, `${examples}/images/coffee.png`)).toBe('This is espresso.')
  expect(await describePicture(server, `${examples}/images/cat.png`)).toBe('This is Egyptian cat.')
})

/** Stands in for ONNX Runtime: every class is as likely as the other. */
const undecided: Backend = {
  name: 'onnxruntime',
  createModel: async () => ({
    createInstance: async () => ({
      execute(requests) {
        for (const request of requests) {
          request.respond({ outputs: { logits: tensor('FP32', [1, 1000], new Float32Array(1000)) } })
        }
      },
      dispose: async () => {},
    }),
    dispose: async () => {},
  }),
}

test('admits that it does not know', async () => {
  await using server = await Server.start({ modelRepository, backends: [undecided] })
  expect(await describePicture(server, `${examples}/images/cat.png`)).toBe('No idea.')
})

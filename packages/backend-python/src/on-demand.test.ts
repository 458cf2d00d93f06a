import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()

const files = (name: string, members: string) => ({
  [`${name}/config.pbtxt`]: config('max_batch_size: 8'),
  [`${name}/1/model.py`]: model(members),
})

/** A model that hands its input on to another one. */
const asks = (target: string): string => `
    def execute(self, requests):
        nested = pb_utils.InferenceRequest(model_name="${target}", requested_output_names=["OUT"],
                                           inputs=[pb_utils.Tensor("IN", np.array([[9]], dtype=np.int32))])
        response = nested.exec()
        if response.has_error():
            return [pb_utils.InferenceResponse(error=response.error()) for _ in requests]
        return [answer([[9]]) for _ in requests]`

const nine = `
    def execute(self, requests):
        return [answer([[9]]) for _ in requests]`

test('the models that a model asks come on demand, and none that would not fit beside it', async ({ executable }) => {
  const sizes: Record<string, number> = { m: 1, n: 1, big: 1, large: 2 }
  await using rig = await PythonRig.start(
    executable,
    { ...files('m', asks('n')), ...files('n', nine), ...files('big', asks('large')), ...files('large', nine) },
    { modelControl: 'on-demand', memoryBudget: 2, memoryOf: ({ name }) => sizes[name] ?? 0 },
  )
  const ask = (name: string) => rig.server.infer(name, { IN: tensor('INT32', [1, 1], new Int32Array([1])) })
  expect([...((await ask('m')).OUT?.data ?? [])]).toEqual([9])
  const ready = await rig.server.index({ ready: true })
  expect(ready.map(({ name }) => name)).toEqual(['m', 'n'])
  await expect(ask('big')).rejects.toThrow("request to model 'large' would wait for ever")
})

import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const files = (members: string, more = '', name = 'm') => ({
  [`${name}/config.pbtxt`]: config(more),
  [`${name}/1/model.py`]: model(members),
})
const said = ({ log }: PythonRig, pattern: RegExp) => log.flatMap(({ text }) => pattern.exec(text)?.slice(1) ?? [])

test('a batch that asks its own only instance is refused, and one that asks another is not', async ({ executable }) => {
  const asks = `
    def execute(self, requests):
        if len(requests) == 1 and values_of(requests[0])[0] == 9:
            return [answer([9])]
        pb_utils.Logger.log_info(f"batch of {len(requests)}")
        target = "m" if values_of(requests[0])[0] < 2 else "n"
        nested = pb_utils.InferenceRequest(model_name=target, requested_output_names=["OUT"],
                                           inputs=[pb_utils.Tensor("IN", np.array([[9]], dtype=np.int32))])
        response = nested.exec()
        if response.has_error():
            return [pb_utils.InferenceResponse(error=response.error()) for _ in requests]
        return [answer([[len(requests)]]) for _ in requests]`
  const batching =
    'max_batch_size: 8 dynamic_batching { preferred_batch_size: 2 max_queue_delay_microseconds: 5000000 }'
  const nine = `
    def execute(self, requests):
        return [answer([[9]]) for _ in requests]`
  await using rig = await PythonRig.start(executable, {
    ...files(asks, batching),
    ...files(nine, 'max_batch_size: 8', 'n'),
  })
  const batched = async (value: number) => {
    const { OUT } = await rig.server.infer('m', { IN: tensor('INT32', [1, 1], new Int32Array([value])) })
    return [...((OUT?.data ?? []) as Int32Array)]
  }
  expect(await Promise.all([batched(5), batched(6)])).toEqual([[2], [2]])
  const refused = await Promise.allSettled([batched(1), batched(1)])
  expect(refused.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
    expect.stringContaining("request to model 'm' would wait for ever"),
    expect.stringContaining("request to model 'm' would wait for ever"),
  ])
  expect(said(rig, /^(batch of .*)/)).toEqual(['batch of 2', 'batch of 2'])
})

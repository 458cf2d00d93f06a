import { traceLog } from '@triton-ts/testing'
import { expect } from 'vitest'
import { ask, config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()

const context = '{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}'

const asking = `
    def execute(self, requests):
        [request] = requests
        pb_utils.Logger.log_info(f"context {request.trace().get_context()}")
        nested = pb_utils.InferenceRequest(model_name="n", requested_output_names=["OUT"], trace=request.trace(),
                                           inputs=[pb_utils.Tensor("IN", np.array([7], dtype=np.int32))])
        return [answer(pb_utils.get_output_tensor_by_name(nested.exec(), "OUT").as_numpy())]`
const nine = `
    def execute(self, requests):
        return [answer([9]) for _ in requests]`
const files = {
  'm/config.pbtxt': config(),
  'm/1/model.py': model(asking),
  'n/config.pbtxt': config(),
  'n/1/model.py': model(nine),
}

test('a model gets the context of the trace, and what it asks of others belongs to it', async ({ executable }) => {
  const exporter = traceLog(context)
  await using rig = await PythonRig.start(executable, files, { trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
  expect(await ask(rig.server, 1)).toEqual([9])
  expect(rig.log.map(({ text }) => text)).toContain(`context ${context}`)
  const [m, n] = exporter.requests
  expect(exporter.requests.map(({ modelName, parentId }) => [modelName, parentId])).toEqual([
    ['m', 0n],
    ['n', m?.id],
  ])
  expect(n?.id).not.toBe(m?.id)
  await rig.server.stop()
  const computing = ['COMPUTE_START', 'COMPUTE_INPUT_END', 'COMPUTE_OUTPUT_START', 'COMPUTE_END']
  expect(exporter.activities).toEqual([
    ...['m REQUEST_START', 'm QUEUE_START', 'n REQUEST_START', 'n QUEUE_START'],
    ...computing.map((name) => `n ${name}`),
    'n REQUEST_END',
    ...computing.map((name) => `m ${name}`),
    ...['INFER_RESPONSE_COMPLETE', 'm REQUEST_END'],
  ])
})

test('a request that is not traced has no context', async ({ executable }) => {
  await using rig = await PythonRig.start(executable, files)
  expect(await ask(rig.server, 1)).toEqual([9])
  expect(rig.log.map(({ text }) => text)).toContain('context None')
})

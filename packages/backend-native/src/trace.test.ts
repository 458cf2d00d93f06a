import { tensor } from '@triton-ts/core'
import { traceLog } from '@triton-ts/testing'
import { expect } from 'vitest'
import { backendDirectory, NativeRig, nativeTest } from './fixtures/native-rig.ts'
import { native } from './native.ts'

const config = `
  backend: "trace"
  input { name: "INPUT" data_type: TYPE_INT32 dims: -1 }
  output { name: "OUTPUT" data_type: TYPE_STRING dims: -1 }`

const context = '{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}'

nativeTest.each(['none', 'process'] as const)(
  'a library sees the trace of a request, and adds to it: isolation %s',
  async (isolation) => {
    const exporter = traceLog(context)
    const backends = [native({ directory: backendDirectory, isolation })]
    const trace = { level: ['TIMESTAMPS'], rate: 1, exporter } as const
    await using rig = await NativeRig.start({ m: config }, { backends, trace })
    const input = { INPUT: tensor('INT32', [1], new Int32Array([1])) }
    const { OUTPUT } = await rig.server.infer('m', input, { id: 'r' })
    const told = JSON.parse(OUTPUT?.strings()[0] ?? '')
    expect(told.trace).toEqual({ id: 1, parent_id: 0, model_name: 'm', model_version: 1, request_id: 'r', context })
    expect(told.child).toMatchObject({ parent_id: 1 })
    expect(told.report_activity).toBe('ok')
    await rig.server.stop()
    expect(exporter.activities).toEqual([
      ...['m REQUEST_START', 'm QUEUE_START', 'm TEST_ACTIVITY', 'INFER_RESPONSE_COMPLETE', 'm COMPUTE_START'],
      ...['m COMPUTE_INPUT_END', 'm COMPUTE_OUTPUT_START', 'm COMPUTE_END', 'm REQUEST_END'],
    ])
  },
)

nativeTest('without a trace a library sees none', async () => {
  await using rig = await NativeRig.start({ m: config })
  const { OUTPUT } = await rig.server.infer('m', { INPUT: tensor('INT32', [1], new Int32Array([1])) })
  expect(OUTPUT?.strings()).toEqual(['{}'])
})

import { echoBackend } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, input, parameter, started } from './fixtures/rig.ts'

const echo = config().replace('"test"', '"identity"')
const decoupled = config(`${parameter('run', 'count')} model_transaction_policy { decoupled: true }`)
const files = {
  'm/config.pbtxt': config(),
  'm/1/': '',
  'echo/config.pbtxt': echo,
  'echo/1/': '',
  'many/config.pbtxt': decoupled,
  'many/1/': '',
}
const doing = (what: string, model: string) => ({ parameters: { do: what, model } })
const options = { backends: [echoBackend()] }

test('a model runs others', async () => {
  const { server } = await started(files, options)
  const one = await server.infer('m', input(5, 6), doing('call', 'echo'))
  expect(one.OUT?.data).toEqual(new Float32Array([5, 1]))
  const many = await server.infer('m', input(7, 8), doing('call', 'many'))
  expect(many.OUT?.data).toEqual(new Float32Array([7, 1]))
})

test('a model hears why its request is not taken', async () => {
  const { server } = await started(files, options)
  const failed = server.infer('m', input(), doing('call', 'nowhere'))
  await expect(failed).rejects.toThrow("Request for unknown model: 'nowhere' is not found")
})

test('a model that leaves, or whose caller gives up, cancels its request', async () => {
  const { server, log } = await started(
    { ...files, 'wait/config.pbtxt': config(parameter('run', 'wait')), 'wait/1/': '' },
    options,
  )
  await server.infer('m', input(), doing('leave', 'many'))
  const caller = new AbortController()
  const waiting = server.infer('m', input(), { ...doing('call', 'wait'), signal: caller.signal })
  await log.line('waiting')
  caller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  await log.line('cancelled: true')
})

test('what a model asked for is cancelled when it crashes', async () => {
  const endless = config(`${parameter('run', 'respondAndWait')} model_transaction_policy { decoupled: true }`)
  const { server, log } = await started({ ...files, 'endless/config.pbtxt': endless, 'endless/1/': '' }, options)
  const failed = server.infer('m', input(), doing('callAndCrash', 'endless'))
  await expect(failed).rejects.toThrow("the process of model 'm' ended by SIGSEGV")
  await log.line('cancelled: true')
})

test('a model asks about others', async () => {
  const { server, log } = await started(files, options)
  await server.infer('m', input(), doing('ask', 'echo'))
  expect(JSON.parse(await log.line('"inferences"'))).toEqual({
    config: 4,
    json: 4,
    metadata: [{ name: 'IN', datatype: 'FP32', shape: [-1, 2] }],
    decoupled: false,
    server: 'triton',
    inferences: 0,
    ready: true,
    there: false,
    index: ['echo', 'm', 'many'],
  })
})

test('a model loads others', async () => {
  const { server } = await started(files, { ...options, modelControl: 'explicit', loadModels: ['m'] })
  await server.infer('m', input(), doing('loadOther', 'echo'))
  expect(await server.index({ ready: true })).toMatchObject([{ name: 'm' }])
  await expect(server.infer('m', input(), doing('loadOther', 'nowhere'))).rejects.toThrow('nowhere')
})

test('a model waits for models that come on demand', async () => {
  const sizes: Record<string, number> = { m: 1, echo: 1, many: 2 }
  const { server } = await started(files, {
    ...options,
    modelControl: 'on-demand',
    memoryBudget: 2,
    memoryOf: ({ name }) => sizes[name] ?? 0,
  })
  const ready = async () => (await server.index({ ready: true })).map(({ name }) => name)
  const asked = await server.infer('m', input(), doing('askLater', 'echo'))
  expect(asked.OUT?.data).toEqual(new Float32Array([4, 0]))
  expect(await ready()).toEqual(['echo', 'm'])
  await server.unload('echo', { waitUntilUnloaded: true })
  const called = await server.infer('m', input(5, 6), doing('call', 'echo'))
  expect(called.OUT?.data).toEqual(new Float32Array([5, 1]))
  const failing = (model: string) => server.infer('m', input(), doing('askLater', model))
  await expect(failing('nowhere')).rejects.toThrow("Request for unknown model: 'nowhere' is not found")
  await expect(failing('many')).rejects.toThrow("request to model 'many' would wait for ever")
})

test('where models do not come on demand, one that is not there is told at once', async () => {
  const { server } = await started(files, { ...options, modelControl: 'explicit', loadModels: ['m'] })
  const failed = server.infer('m', input(), doing('askLater', 'echo'))
  await expect(failed).rejects.toThrow("Request for unknown model: 'echo' is not found")
})

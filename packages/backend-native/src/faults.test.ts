import { join } from 'node:path'
import { Tensor, TritonError, tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { backendDirectory, NativeRig, nativeTest, parameterText } from './fixtures/native-rig.ts'

const config = (fault: string, more = '') => `
  backend: "faulty"
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: TYPE_INT32 dims: 1 }
  ${fault === '' ? '' : parameterText('fault', fault)} ${more}`

const input = { INPUT: tensor('INT32', [1], new Int32Array([1])) }

const failure = (rig: NativeRig, signal?: AbortSignal): Promise<unknown> =>
  rig.server.infer('m', input, { signal }).then(
    () => 'answered',
    (error: unknown) => error,
  )

const loadFailure = async (text: string, backendConfig = {}): Promise<string> => {
  await using rig = await NativeRig.start({ m: text }, { exitOnError: false, backendConfig })
  const [entry] = await rig.server.index()
  return entry?.reason ?? 'loaded'
}

nativeTest('what a library returns as an error fails the request', async () => {
  await using rig = await NativeRig.start({ m: config('execute-error') })
  expect(await failure(rig)).toEqual(new TritonError('INTERNAL', 'faulty: execute-error'))
  const [statistics] = rig.server.statistics('m')
  expect(statistics?.inferenceStats.fail.count).toBe(1)
})

nativeTest('an error response', async () => {
  await using rig = await NativeRig.start({ m: config('response-error') })
  expect(await failure(rig)).toEqual(new TritonError('INTERNAL', 'faulty: response-error'))
})

nativeTest.for([
  ['throw-execute', /backend 'faulty' threw in TRITONBACKEND_ModelInstanceExecute: thrown by execute/],
  ['never-answer', /'m'/],
  ['drop-response', /'m'/],
])('%s: the request fails instead of waiting for ever', async ([fault, text]) => {
  await using rig = await NativeRig.start({ m: config(fault as string) })
  for (let i = 0; i < 3; i++) {
    const error = await failure(rig)
    expect(error).toBeInstanceOf(TritonError)
    expect(String(error)).toMatch(text as RegExp)
  }
})

nativeTest.for(['answer-twice', 'release-twice', 'error-after-release'])('%s: one answer counts', async (fault) => {
  await using rig = await NativeRig.start({ m: config(fault) })
  for (let i = 0; i < 3; i++) expect([...((await rig.server.infer('m', input)).OUTPUT?.data ?? [])]).toEqual([1])
})

nativeTest('a batch that the addon cannot read fails, and the next one runs', async () => {
  await using rig = await NativeRig.start({ m: config('') })
  const unreadable = { byteLength: 4 } as Uint8Array
  for (let i = 0; i < 3; i++) {
    const failing = rig.server.infer('m', { INPUT: Tensor.fromBytes('INT32', [1], unreadable) })
    await expect(failing).rejects.toBeInstanceOf(TritonError)
    expect([...((await rig.server.infer('m', input)).OUTPUT?.data ?? [])]).toEqual([1])
  }
})

nativeTest('a library that waits for a cancellation hears of it', async () => {
  await using rig = await NativeRig.start({ m: config('hang-execute') })
  const abort = new AbortController()
  const failing = failure(rig, abort.signal)
  setTimeout(() => abort.abort(), 20)
  expect(await failing).toMatchObject({ code: 'CANCELLED' })
})

nativeTest('a request that is never given back: the Server stops without it', async () => {
  const rig = await NativeRig.start({ m: config('never-release') }, { exitTimeout: 0.2 })
  const failing = failure(rig)
  await expect(rig.server.stop()).rejects.toThrow('Exit timeout expired')
  expect(await failing).toMatchObject({ code: 'UNAVAILABLE' })
  await rig.repository[Symbol.asyncDispose]()
})

nativeTest.for([
  ['model-initialize-error', 'Internal: faulty: model-initialize-error'],
  ['instance-initialize-error', 'Internal: faulty: instance-initialize-error'],
  [
    'throw-model-initialize',
    "Internal: backend 'faulty' threw in TRITONBACKEND_ModelInitialize: thrown by model initialize",
  ],
])('%s is the reason of the failed load', async ([fault, reason]) => {
  expect(await loadFailure(config(fault as string))).toBe(reason)
})

nativeTest.for([
  ['initialize-error', 'Internal: faulty: initialize-error'],
  ['wrong-abi', 'Unsupported: triton backend API version does not support this backend'],
  ['throw-initialize', "Internal: backend 'faulty' threw in TRITONBACKEND_Initialize: thrown by initialize"],
])('a library that refuses to start: %s', async ([fault, reason]) => {
  expect(await loadFailure(config(''), { faulty: { fault } })).toBe(reason)
})

nativeTest('a library that does not load says why', async () => {
  const of = (name: string) => loadFailure(config('').replace('faulty', name))
  const file = (name: string) => join(backendDirectory, name, `libtriton_${name}.so`)
  expect(await of('missing_dependency')).toMatch(
    /^Not found: unable to load shared library: libtriton_ts_absent\.so: cannot open shared object file/,
  )
  expect(await of('undefined_symbol')).toMatch(/undefined symbol: TRITONSERVER_DoesNotExist/)
  expect(await of('no_entry')).toBe(
    `Not found: unable to find required entrypoint 'TRITONBACKEND_ModelInstanceExecute' in shared library: ${file('no_entry')}`,
  )
  expect(await of('nothing')).toBe(
    "Invalid argument: unable to find backend library for backend 'nothing', try specifying runtime on the model configuration.",
  )
})

nativeTest('an instance says whether it is ready', async () => {
  await using rig = await NativeRig.start({ m: config(''), broken: config('not-ready') })
  expect(await rig.server.model('m').isReady()).toBe(true)
  expect(await rig.server.model('broken').isReady()).toBe(false)
})

nativeTest('a library after a failed start can be started again', async () => {
  await using rig = await NativeRig.start({ m: config('model-initialize-error') }, { modelControl: 'explicit' })
  await expect(rig.server.load('m')).rejects.toThrow()
  await rig.repository.write({ 'm/config.pbtxt': config('') })
  await rig.server.load('m')
  expect([...((await rig.server.infer('m', input)).OUTPUT?.data ?? [])]).toEqual([1])
})

import { type Outputs, tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { liveObjects } from '../fixtures/live-objects.ts'
import { backendDirectory, configText, NativeRig, nativeTest, parameterText } from '../fixtures/native-rig.ts'
import { type NativeOptions, native } from '../native.ts'

const faulty = (fault: string): string => `
  backend: "faulty" instance_group { count: 1 kind: KIND_CPU }
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: TYPE_INT32 dims: 1 }
  ${fault === '' ? '' : parameterText('fault', fault)}`

const input = { INPUT: tensor('INT32', [1], new Int32Array([1])) }
const numbers = { INPUT0: tensor('INT32', [3], new Int32Array([1, 2, 3])) }
const values = (outputs: Outputs): number[] => [...((outputs.OUTPUT0?.data ?? []) as Int32Array)]
const backends = (isolation?: NativeOptions['isolation']) => [native({ directory: backendDirectory, isolation })]
const explicit = { modelControl: 'explicit' } as const

nativeTest('a library runs in another process', async () => {
  const before = liveObjects()
  await using rig = await NativeRig.start({ m: configText('identity') }, { backends: backends('process') })
  expect(values(await rig.server.infer('m', numbers))).toEqual([1, 2, 3])
  expect(liveObjects()).toEqual(before)
  // A library reports the batch after its answers.
  await expect.poll(() => rig.server.statistics('m')).toMatchObject([{ inferenceCount: 1, executionCount: 1 }])
})

nativeTest('the parameter, the option and the backend setting choose', async () => {
  const models = { m: faulty('crash-model-initialize') }
  const crashed = "the process of model 'm' (libtriton_faulty.so) ended by SIGSEGV while it loaded"
  const load = async (text: string, isolation: NativeOptions['isolation'], setting: Record<string, string> = {}) => {
    const options = { ...explicit, backends: backends(isolation), backendConfig: { faulty: setting } }
    await using rig = await NativeRig.start({ m: text }, options)
    return await rig.server.load('m').catch((error: Error) => error.message)
  }
  expect(await load(models.m, { m: 'process' })).toContain(crashed)
  expect(await load(models.m, undefined, { isolation: 'process' })).toContain(crashed)
  expect(await load(models.m + parameterText('ISOLATION', 'process'), 'none')).toContain(crashed)
  expect(await load(faulty(''), undefined, { isolation: 'yes' })).toContain("must be 'process' or 'none', got 'yes'")
})

nativeTest.for([
  ['crash-execute', 'SIGSEGV'],
  ['abort-execute', 'SIGABRT'],
])('%s harms no other model, and the model comes back', async ([fault, signal]) => {
  const models = { m: faulty(fault as string), other: configText('identity') }
  await using rig = await NativeRig.start(models, { backends: backends('process') })
  const crashed = `the process of model 'm' (libtriton_faulty.so) ended by ${signal} while instance 'm_0_0' ran a request`
  await expect(rig.server.infer('m', input)).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining(crashed),
  })
  expect(values(await rig.server.infer('other', numbers))).toEqual([1, 2, 3])
  await expect.poll(() => rig.server.isReady()).toBe(true)
  await expect(rig.server.infer('m', input)).rejects.toThrow(crashed)
})

nativeTest('business logic in one process, its target in another or in this one', async () => {
  const models = {
    bls: configText('bls', parameterText('target', 'here')),
    here: configText('identity'),
    far: configText('bls', parameterText('target', 'bls')),
  }
  await using rig = await NativeRig.start(models, { backends: backends({ bls: 'process', far: 'process' }) })
  expect(values(await rig.server.infer('far', numbers))).toEqual([1, 2, 3])
})

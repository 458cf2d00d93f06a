import { type Server, TritonError, tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { liveObjects, liveObjectsLeft } from './fixtures/live-objects.ts'
import { configText, NativeRig, nativeTest, parameterText } from './fixtures/native-rig.ts'

const input = { INPUT0: tensor('INT32', [1], new Int32Array([1])) }
const faultyInput = { INPUT: input.INPUT0 }

const oneToOne = (backend: string, output: string, more = '') => `
  backend: "${backend}"
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: ${output} dims: 1 }
  ${more}`

const watched = oneToOne('lifecycle', 'TYPE_STRING', 'instance_group { count: 2 kind: KIND_CPU }')

/** What the library `lifecycle` knows of itself. */
const books = async (server: Server, name: string) =>
  JSON.parse((await server.infer(name, faultyInput)).OUTPUT?.strings()[0] ?? '')

nativeTest('a thousand loads and unloads leave nothing behind', async () => {
  const before = liveObjects()
  {
    await using rig = await NativeRig.start({ m: configText('identity') }, { modelControl: 'explicit' })
    for (let cycle = 0; cycle < 1000; cycle++) {
      await rig.server.load('m')
      await rig.server.infer('m', input)
      await rig.server.unload('m')
    }
  }
  expect(await liveObjectsLeft(before)).toEqual(before)
})

nativeTest('loads and unloads in any order, while requests run: the library sees them in the right order', async () => {
  const names = ['a', 'b', 'c']
  const models = Object.fromEntries(['observer', ...names].map((name) => [name, watched]))
  await using rig = await NativeRig.start(models, { modelControl: 'explicit', loadModels: ['observer'] })
  const { server } = rig
  const answers: Promise<unknown>[] = []
  const ask = (name: string) => answers.push(server.infer(name, faultyInput).catch((error: unknown) => error))
  await Promise.all(
    names.map(async (name, place) => {
      for (let cycle = 0; cycle < 40 + place; cycle++) {
        await server.load(name)
        for (const other of names) ask(other)
        await server.unload(name)
      }
    }),
  )
  for (const answer of await Promise.all(answers)) {
    if (answer instanceof Error) expect(answer).toBeInstanceOf(TritonError)
  }
  for (let tries = 0; tries < 1000 && (await books(server, 'observer')).model.live > 1; tries++);
  expect(await books(server, 'observer')).toMatchObject({
    backend: { live: 1 },
    model: { live: 1 },
    instance: { live: 2 },
    violations: 0,
  })
})

nativeTest('an unload waits for what runs', async () => {
  const config = oneToOne(
    'faulty',
    'TYPE_INT32',
    parameterText('fault', 'sleep-execute') + parameterText('milliseconds', '50'),
  )
  await using rig = await NativeRig.start({ m: config }, { modelControl: 'explicit', loadModels: ['m'] })
  const running = Promise.all([1, 2, 3].map(() => rig.server.infer('m', faultyInput)))
  const unloading = rig.server.unload('m')
  expect((await running).map(({ OUTPUT }) => OUTPUT?.data[0])).toEqual([1, 1, 1])
  await unloading
})

nativeTest('an instance is asked whether it is ready while it goes', async () => {
  await using rig = await NativeRig.start({ m: oneToOne('faulty', 'TYPE_INT32') }, { modelControl: 'explicit' })
  for (let cycle = 0; cycle < 50; cycle++) {
    await rig.server.load('m')
    const model = rig.server.model('m')
    const asked = [1, 2, 3].map(() => model.isReady().catch(() => false))
    await rig.server.unload('m')
    await Promise.all(asked)
    expect(await model.isReady().catch(() => false)).toBe(false)
  }
})

nativeTest.for([
  ['initialize-error', { backendConfig: { faulty: { fault: 'initialize-error' } } }],
  ['throw-initialize', { backendConfig: { faulty: { fault: 'throw-initialize' } } }],
  ['model-initialize-error', {}],
  ['throw-model-initialize', {}],
  ['instance-initialize-error', {}],
  ['throw-instance-initialize', {}],
] as const)('a failed load leaves nothing behind: %s', async ([fault, options]) => {
  const before = liveObjects()
  {
    const config = oneToOne('faulty', 'TYPE_INT32', parameterText('fault', fault))
    await using rig = await NativeRig.start({ m: config }, { ...options, modelControl: 'explicit' })
    for (let cycle = 0; cycle < 10; cycle++) await expect(rig.server.load('m')).rejects.toThrow()
  }
  expect(await liveObjectsLeft(before)).toEqual(before)
})

import { join } from 'node:path'
import { parseModelConfig, TritonError } from '@triton-ts/core'
import { modelRepository, type RepositoryFiles, type TemporaryRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { backendConfigJson } from './backend-config.ts'
import { batchStrategy } from './batch-strategy.ts'
import { findLibrary } from './find-library.ts'

/** A model `m` and a backend directory beside it. */
class Rig implements AsyncDisposable {
  readonly #files: TemporaryRepository

  private constructor(files: TemporaryRepository) {
    this.#files = files
  }

  static async of(files: RepositoryFiles): Promise<Rig> {
    return new Rig(await modelRepository({ 'm/1/.keep': '', 'backends/.keep': '', ...files }))
  }

  path = (...parts: string[]): string => join(this.#files.path, ...parts)

  model(config = '') {
    return {
      directory: this.path('m'),
      versionDirectory: this.path('m', '1'),
      config: parseModelConfig(`name: "m" ${config}`).config,
    }
  }

  find = (name = 'x', config = '') => findLibrary(name, this.model(config), this.path('backends'))

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files[Symbol.asyncDispose]()
  }
}

const library = 'libtriton_x.so'

test('the version comes before the model, the model before the backend directory', async () => {
  const places = [`m/1/${library}`, `m/${library}`, `backends/x/${library}`]
  for (let first = 0; first < places.length; first++) {
    await using rig = await Rig.of(Object.fromEntries(places.slice(first).map((place) => [place, ''])))
    const place = places[first] as string
    expect(await rig.find()).toEqual({
      name: 'x',
      path: rig.path(place),
      directory: rig.path(place, '..'),
      backendDirectory: rig.path('backends'),
    })
  }
})

test('no library: another finder may have one', async () => {
  await using rig = await Rig.of({ 'backends/y/model.py': '' })
  expect(await rig.find('x')).toBeUndefined()
  expect(await rig.find('y')).toBeUndefined()
})

test('a name is no path', async () => {
  await using rig = await Rig.of({ [library]: '', 'm/1/sub/lib.so': '' })
  for (const name of ['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0b']) expect(await rig.find(name)).toBeUndefined()
})

test('`runtime` names the file', async () => {
  await using rig = await Rig.of({ 'backends/x/other.so': '', [`backends/x/${library}`]: '' })
  expect((await rig.find('x', 'runtime: "other.so"'))?.path).toBe(rig.path('backends/x/other.so'))
  expect(await rig.find('x', 'runtime: "model.py"')).toBeUndefined()
})

test('a `runtime` that is not there tells where it was looked for', async () => {
  await using rig = await Rig.of({})
  const searched = `'${rig.path('m/1')}' '${rig.path('m')}' '${rig.path('backends/x')}' `
  const text = `unable to find backend library 'other.so' for model 'm', searched: ${searched}`
  await expect(rig.find('x', 'runtime: "other.so"')).rejects.toThrow(new TritonError('INVALID_ARG', text))
})

test('a `runtime` must not leave its directory', async () => {
  await using rig = await Rig.of({ 'm/other.so': '' })
  const text = `backend library name '../other.so' escapes backend directory '${rig.path('m/1')}', for model 'm', check model config runtime field`
  await expect(rig.find('x', 'runtime: "../other.so"')).rejects.toThrow(new TritonError('INVALID_ARG', text))
})

const strategyOf = (rig: Rig, config = '') =>
  batchStrategy(rig.model(config), {
    name: 'x',
    path: '',
    directory: '',
    backendDirectory: rig.path('backends'),
  })

const parameter = (path: string) => `parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "${path}" } }`

test('batchstrategy.so is looked for where the library is', async () => {
  const places = ['m/1/batchstrategy.so', 'm/batchstrategy.so', 'backends/x/batchstrategy.so']
  for (let first = 0; first < places.length; first++) {
    await using rig = await Rig.of(Object.fromEntries(places.slice(first).map((place) => [place, ''])))
    expect(await strategyOf(rig)).toBe(rig.path(places[first] as string))
    expect(await strategyOf(rig, 'sequence_batching {}')).toBeUndefined()
  }
  await using rig = await Rig.of({})
  expect(await strategyOf(rig)).toBeUndefined()
})

test('a batching library of the configuration must be in the model directory', async () => {
  await using rig = await Rig.of({ 'm/own.so': '', 'outside.so': '', 'm2/own.so': '' })
  expect(await strategyOf(rig, parameter(rig.path('m/own.so')))).toBe(rig.path('m/own.so'))
  const outside = 'Batching library path escapes model repository.'
  for (const path of ['outside.so', 'm/../outside.so', 'm2/own.so']) {
    await expect(strategyOf(rig, parameter(rig.path(path)))).rejects.toThrow(new TritonError('INVALID_ARG', outside))
  }
  const missing = rig.path('m/none.so')
  await expect(strategyOf(rig, parameter(missing))).rejects.toThrow(
    new TritonError('NOT_FOUND', `Batching library path not found: ${missing}`),
  )
  await expect(strategyOf(rig, `sequence_batching {} ${parameter('own.so')}`)).rejects.toThrow(
    'TRITON_BATCH_STRATEGY_PATH cannot be specified with sequence batcher, using default batching strategy',
  )
})

test('a library is told the settings of Triton, overlaid by those of the Server', () => {
  const place = { name: 'x', path: '', directory: '', backendDirectory: '/backends' }
  const backendConfig = { 'default-max-batch-size': '8', mine: 'yes' }
  expect(JSON.parse(backendConfigJson({ autoComplete: true, backendConfig }, place))).toEqual({
    cmdline: {
      'auto-complete-config': 'true',
      'backend-directory': '/backends',
      'min-compute-capability': '6.000000',
      'default-max-batch-size': '8',
      mine: 'yes',
    },
  })
})

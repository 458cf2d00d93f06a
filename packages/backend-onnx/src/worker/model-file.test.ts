import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { modelFile } from './model-file.ts'
import { modelConfig, modelContext } from './test-support.ts'

const contextFor = (path: string, defaultModelFilename: string) =>
  modelContext(path, { config: modelConfig({ defaultModelFilename }) })

test('the configured file, or model.onnx; a directory holds model.onnx', async () => {
  await using repository = await modelRepository({
    'm/1/model.onnx': 'a',
    'm/1/other.onnx': 'b',
    'm/1/folder/model.onnx': 'c',
  })
  const version = join(repository.path, 'm', '1')
  expect(await modelFile(contextFor(repository.path, ''))).toBe(join(version, 'model.onnx'))
  expect(await modelFile(contextFor(repository.path, 'other.onnx'))).toBe(join(version, 'other.onnx'))
  expect(await modelFile(contextFor(repository.path, 'folder'))).toBe(join(version, 'folder', 'model.onnx'))
})

test('what is missing is named', async () => {
  await using repository = await modelRepository({ 'm/1/empty/': '' })
  const version = join(repository.path, 'm', '1')
  await expect(modelFile(contextFor(repository.path, 'model.onnx'))).rejects.toMatchObject({
    code: 'INTERNAL',
    message: `failed to stat file ${join(version, 'model.onnx')}`,
  })
  await expect(modelFile(contextFor(repository.path, 'empty'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: `unable to find '${join(version, 'empty', 'model.onnx')}' for model instance 'm'`,
  })
})

test.each(['../2/model.onnx', '..', 'a/../../x.onnx'])('%s is outside the version', async (filename) => {
  await using repository = await modelRepository({ 'm/2/model.onnx': 'a' })
  await expect(modelFile(contextFor(repository.path, filename))).rejects.toMatchObject({ code: 'INVALID_ARG' })
})

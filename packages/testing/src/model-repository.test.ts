import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseModelConfig } from '@triton-ts/core'
import { afterEach, expect, test, vi } from 'vitest'
import { modelRepository } from './model-repository.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('files and empty directories come, change and go', async () => {
  const repository = await modelRepository({ 'm/config.pbtxt': 'a', 'm/1/': '' })
  expect((await readdir(join(repository.path, 'm'))).sort()).toEqual(['1', 'config.pbtxt'])
  await repository.write({ 'm/config.pbtxt': Buffer.from('b') })
  expect(await readFile(join(repository.path, 'm/config.pbtxt'), 'utf8')).toBe('b')
  await repository.remove('m')
  expect(await readdir(repository.path)).toEqual([])
  await repository[Symbol.asyncDispose]()
  expect(existsSync(repository.path)).toBe(false)
})

test('leaves nothing behind when its files cannot be written', async () => {
  await using outer = await modelRepository()
  vi.stubEnv('TMPDIR', outer.path)
  await expect(modelRepository({ file: '', 'file/below': '' })).rejects.toThrow()
  expect(await readdir(outer.path)).toEqual([])
})

test('a configuration may be an object', async () => {
  await using repository = await modelRepository({
    'm/config.pbtxt': {
      backend: 'identity',
      maxBatchSize: 4,
      dynamicBatching: { maxQueueDelayMicroseconds: 500 },
      input: [{ name: 'X', dataType: 'TYPE_FP32', dims: [-1] }],
      parameters: { note: { stringValue: 'a "b"' } },
    },
  })
  const text = await readFile(join(repository.path, 'm/config.pbtxt'), 'utf8')
  expect(parseModelConfig(text).config).toMatchObject({
    backend: 'identity',
    maxBatchSize: 4,
    dynamicBatching: { maxQueueDelayMicroseconds: 500 },
    input: [{ name: 'X', dataType: 'TYPE_FP32', dims: [-1] }],
    parameters: { note: { stringValue: 'a "b"' } },
  })
})

test('a configuration with a field that there is not is refused', async () => {
  const wrong = { maxBatchsize: 4 }
  await expect(modelRepository({ 'm/config.pbtxt': wrong as object })).rejects.toThrow('maxBatchsize')
})

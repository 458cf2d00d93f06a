import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { isSameModel } from './fingerprint.ts'
import { LocalSource } from './local-source.ts'

test('models are directories and links to directories, hidden ones too, but nothing else', async () => {
  await using elsewhere = await modelRepository({ 'linked/config.pbtxt': '' })
  await using repository = await modelRepository({ 'm/config.pbtxt': '', '.hidden/': '', 'file.txt': '' })
  const link = (to: string, name: string): Promise<void> => symlink(to, join(repository.path, name))
  await link(join(elsewhere.path, 'linked'), 'linked')
  await link('nowhere', 'dangling')
  await link('circle', 'circle')
  await link('file.txt', 'link-to-file')
  const source = new LocalSource(repository.path)
  const names = ['.hidden', 'linked', 'm']
  expect(await source.models()).toEqual(names)
  expect([...(await source.lookAll()).keys()].sort()).toEqual(names)
  for (const name of ['dangling', 'circle', 'file.txt', 'link-to-file', 'missing'])
    expect(await source.look(name)).toBeUndefined()
  expect(await (await source.look('linked'))?.open()).toMatchObject({ directory: join(repository.path, 'linked') })
})

test('a repository that is a link to the current one of several changes at once', async () => {
  await using repository = await modelRepository({ 'first/m/1/model': 'a', 'second/m/1/model': 'longer' })
  const current = join(repository.path, 'current')
  await symlink('first', current)
  const source = new LocalSource(current)
  const before = await source.look('m')
  await symlink('second', `${current}.new`)
  await rename(`${current}.new`, current)
  const after = await source.look('m')
  expect(isSameModel(before!.fingerprint, after!.fingerprint)).toBe(false)
})

test('what a volume of Kubernetes keeps beside its links is no model, and changes nothing by itself', async () => {
  await using repository = await modelRepository({ '..1/m/config.pbtxt': 'a', '..1/m/1/model': 'a' })
  const { path } = repository
  await symlink('..1', join(path, '..data'))
  await symlink('..data/m', join(path, 'm'))
  const source = new LocalSource(path)
  expect(await source.models()).toEqual(['m'])
  const before = await source.look('m')
  await mkdir(join(path, '..2'))
  expect(isSameModel(before!.fingerprint, (await source.look('m'))!.fingerprint)).toBe(true)
  await repository.write({ '..2/m/config.pbtxt': 'b', '..2/m/1/model': 'b' })
  await symlink('..2', join(path, '..new'))
  await rename(join(path, '..new'), join(path, '..data'))
  expect(isSameModel(before!.fingerprint, (await source.look('m'))!.fingerprint)).toBe(false)
})

test('a repository that is gone is not one without models', async () => {
  await using repository = await modelRepository({ 'models/m/config.pbtxt': '' })
  const path = join(repository.path, 'models')
  const source = new LocalSource(path)
  await rename(path, `${path}.away`)
  const error = { code: 'INTERNAL', message: `repository path is not a valid directory: '${path}'` }
  await expect(source.models()).rejects.toMatchObject(error)
  await expect(source.look('m')).rejects.toMatchObject(error)
  await expect(source.lookAll()).rejects.toMatchObject(error)
  await writeFile(path, '')
  await expect(source.look('m')).rejects.toMatchObject(error)
})

test('nor is one that goes during a look', async () => {
  await using repository = await modelRepository({ 'models/m/config.pbtxt': '' })
  const path = join(repository.path, 'models')
  class LeavingSource extends LocalSource {
    override async models(): Promise<string[]> {
      const names = await super.models()
      await rename(path, `${path}.away`)
      return names
    }
  }
  await expect(new LeavingSource(path).lookAll()).rejects.toThrow('repository path is not a valid directory')
})

test('a look ends when its signal is aborted', async () => {
  await using repository = await modelRepository({ 'm/config.pbtxt': '' })
  const reason = new Error('given up')
  await expect(new LocalSource(repository.path).lookAll(AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('a model that is there and cannot be read is not gone; opening it says why', async () => {
  await using repository = await modelRepository({})
  // The name of what it leads to is longer than the system takes.
  await symlink(`/${'x'.repeat(300)}`, join(repository.path, 'm'))
  const source = new LocalSource(repository.path)
  expect(await source.models()).toEqual(['m'])
  for (const model of [await source.look('m'), (await source.lookAll()).get('m')]) {
    const directory = join(repository.path, 'm')
    await expect(model?.open()).rejects.toThrow(`failed to read model directory ${directory}: ENAMETOOLONG`)
  }
})
